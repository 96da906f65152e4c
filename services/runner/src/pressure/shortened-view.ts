import type { ChatMessage } from '@loom/shared/chat';
import { cutText } from '@loom/shared/text';
import { mergedCalls, mergedExchanges } from './merged-exchanges.ts';
import { shortenArguments } from './shorten-arguments.ts';
import { shortenOutput } from './shorten-output.ts';

export const compactionStages = ['arguments', 'outputs', 'narrative', 'merge', 'overflow'] as const;
export type CompactionStage = (typeof compactionStages)[number];

/** Up to which line of the journal each stage holds; what comes later is shown as it is. */
export type Cuts = Readonly<Record<CompactionStage, number>> & {
  /** How many calls are listed of what was merged. */
  readonly told: number;
};

export const noCuts: Cuts = {
  arguments: 0,
  outputs: 0,
  narrative: 0,
  merge: 0,
  overflow: 0,
  told: mergedCalls[0],
};

/** A journal as a model is shown it. */
export type ShortenedView = (journal: readonly ChatMessage[], cuts: Cuts) => ChatMessage[];

const wholeNarrative = 500;
const shownNarrative = 250;

/**
 * Shows the journal of a unit with what the cuts say left out. Lines that are shortened the same
 * way are the same from call to call, and each is shortened once.
 */
export function createShortenedView(unitId: string): ShortenedView {
  const made = new WeakMap<ChatMessage, Map<string, ChatMessage>>();

  let merged = { merge: 0, told: 0, messages: [] as ChatMessage[] };

  const mergedUpTo = (journal: readonly ChatMessage[], { merge, told }: Cuts): ChatMessage[] => {
    if (merge !== merged.merge || told !== merged.told) {
      const messages = merge === 0 ? [] : mergedExchanges(journal.slice(0, merge), told);
      merged = { merge, told, messages };
    }
    return merged.messages;
  };

  const once = (message: ChatMessage, form: string, make: () => ChatMessage): ChatMessage => {
    const forms = made.get(message) ?? new Map<string, ChatMessage>();
    made.set(message, forms);
    const known = forms.get(form) ?? make();
    forms.set(form, known);
    return known;
  };

  return (journal, cuts) => {
    const shown = [...mergedUpTo(journal, cuts)];
    let asked: { place: number; message: ChatMessage } | null = null;
    for (let place = cuts.merge; place < journal.length; place++) {
      const message = journal[place];
      if (message === undefined) continue;
      if (message.role === 'assistant') asked = { place, message };
      const form = formOf(message, place, cuts);
      if (form === '') shown.push(message);
      else {
        const key = asked === null ? unitId : keyOf(unitId, asked, message);
        shown.push(once(message, form, () => shorten(message, form, key)));
      }
    }
    return shown;
  };
}

/** The place of a call in its journal, by which the ledger knows it. */
function keyOf(
  unitId: string,
  { place, message }: { place: number; message: ChatMessage },
  { tool_call_id }: ChatMessage,
): string {
  const index = message.tool_calls?.findIndex(({ id }) => id === tool_call_id) ?? -1;
  return `${unitId}/${place}/${index}`;
}

/** Which of its parts are shortened, as letters: a and A arguments, o and O output, n narrative. */
function formOf({ role }: ChatMessage, place: number, cuts: Cuts): string {
  const isHard = place < cuts.overflow;
  if (role === 'tool') return isHard ? 'O' : place < cuts.outputs ? 'o' : '';
  if (role !== 'assistant') return '';
  const args = isHard ? 'A' : place < cuts.arguments ? 'a' : '';
  return place < cuts.narrative ? `${args}n` : args;
}

function shorten(message: ChatMessage, form: string, key: string): ChatMessage {
  const { content, tool_calls } = message;
  if (form === 'o' || form === 'O') {
    return { ...message, content: shortenOutput(content, key, form === 'O' ? 'hard' : 'soft') };
  }
  const short = { ...message, content: form.endsWith('n') ? shortenNarrative(content) : content };
  if (tool_calls === undefined || form === 'n') return short;
  const depth = form.startsWith('A') ? 'hard' : 'soft';
  return {
    ...short,
    tool_calls: tool_calls.map((call) => ({
      ...call,
      arguments: shortenArguments(call.arguments, depth),
    })),
  };
}

function shortenNarrative(text: string): string {
  if (text.length <= wholeNarrative) return text;
  const shown = cutText(text, shownNarrative);
  return `${shown}… [${text.length - shown.length} characters cut]`;
}
