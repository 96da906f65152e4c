import type { OpenDelegation } from '@loom/db/load-turn';
import { renderSessionState } from '@loom/engine/session-state/render-session-state';
import type { ChatMessage } from '@loom/shared/chat';
import type { SessionState } from '@loom/shared/session-state';
import { estimateTokens, firstLine } from '@loom/shared/text';

export const coworkNotesId = 'cowork-notes/1';

interface CoworkNotes {
  state: SessionState;
  delegations: readonly OpenDelegation[];
  /** Messages that are not in the window. */
  omitted: number;
  /** First lines of what the user said in them, as far as they are known, oldest first. */
  index: readonly { number: number; line: string }[];
  /** The user refers back to something, and it may be among what is left out. */
  refers_back: boolean;
  /** What else the turn is to keep in mind. */
  more: readonly (string | null)[];
}

const maxIndexChars = 1_200;
const refersBackHint =
  'The user refers to something earlier. If it is not in view, look it up with conversation_recall before you answer.';

/** What notes grow by at most when messages are left out. */
export const mostIndexTokens = estimateTokens('x'.repeat(maxIndexChars) + refersBackHint) + 1;

/**
 * What stands before the turn in every call: it changes from call to call, and what stands before
 * it can be cached. Null when there is nothing to say.
 */
export function coworkNotes(notes: CoworkNotes): ChatMessage | null {
  const state = renderSessionState(notes.state);
  return toNotes([
    ...pinnedSections(notes),
    state === null ? null : `State of this conversation:\n${state}`,
    archiveIndex(notes),
    notes.refers_back && notes.omitted > 0 ? refersBackHint : null,
  ]);
}

/** Of the notes, what has to be in every call, however small the model is; the rest can be looked up. */
export function pinnedNotes(notes: PinnedNotes): ChatMessage | null {
  return toNotes(pinnedSections(notes));
}

type PinnedNotes = Pick<CoworkNotes, 'state' | 'delegations' | 'more'>;

function pinnedSections({ state, delegations, more }: PinnedNotes): (string | null)[] {
  return [constraintLines(state), delegationLines(delegations), ...more];
}

function toNotes(all: readonly (string | null)[]): ChatMessage | null {
  const sections = all.filter((section) => section !== null);
  return sections.length === 0 ? null : { role: 'system', content: sections.join('\n\n') };
}

function constraintLines(state: SessionState): string | null {
  if (state.constraints.length === 0) return null;
  const lines = state.constraints.map(({ text, number }) => `- ${text} (message ${number})`);
  return `The user said, and it holds until the user takes it back:\n${lines.join('\n')}`;
}

function delegationLines(open: readonly OpenDelegation[]): string | null {
  if (open.length === 0) return null;
  const lines = open.map(
    ({ task_id, goal, status, done, subtasks }) =>
      `- ${task_id} (${status}, ${done} of ${subtasks} subtasks done): ${firstLine(goal, 150)}`,
  );
  return `Delegated and not finished; do not delegate the same again:\n${lines.join('\n')}`;
}

function archiveIndex({ omitted, index }: CoworkNotes): string | null {
  if (omitted === 0) return null;
  const head = `${omitted} earlier messages are not shown here. They are in the archive, word for word: use conversation_recall.`;
  const lines: string[] = [];
  let room = maxIndexChars - head.length - 40;
  for (const { number, line } of sample(index)) {
    const shown = `- message ${number}: ${firstLine(line, 80)}`;
    room -= shown.length + 1;
    if (room < 0) break;
    lines.push(shown);
  }
  return lines.length === 0 ? head : `${head} Among them the user said:\n${lines.join('\n')}`;
}

/** At most twelve, evenly spread. */
function sample<T>(items: readonly T[]): T[] {
  const step = Math.max(1, Math.ceil(items.length / 12));
  return items.filter((_, index) => index % step === 0);
}
