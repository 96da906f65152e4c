import type { ChatMessage } from '@loom/shared/chat';

/** What a breaker wants: a note stored and the model asked again, or the turn ended with a text. */
export type BreakerStep = { kind: 'note'; message: ChatMessage } | { kind: 'close'; text: string };

/**
 * The notes that a turn may get, each once. They are stored as `system` messages of the turn and
 * known again by their first words, so that a later owner of the turn does not repeat them.
 */
const notes = {
  repeated:
    'Loop notice: the last three rounds made the very same tool calls. Do not make them again: their results are above. Do something else, or answer with what you know. If they are repeated once more, the turn ends.',
  empty:
    'Empty answer notice: the last reply had neither text nor tool calls. Answer the user now, or make the tool calls that are needed.',
  stalled:
    'Stall notice: the last reply announced work but made no tool call, and nothing happens between replies. Make the calls now; list_tools finds tools that are not shown, and run_tool runs them. If nothing is left to do, give the answer.',
} as const;

type NoteKind = keyof typeof notes;

/** The note of a kind, as it is stored. */
export function breakerNote(kind: NoteKind): BreakerStep {
  return { kind: 'note', message: { role: 'system', content: notes[kind] } };
}

/** Whether a turn has had the note of a kind; also one that was worded differently behind its first words. */
export function hasNote(turn: readonly ChatMessage[], kind: NoteKind): boolean {
  const firstWords = notes[kind].slice(0, notes[kind].indexOf(':') + 1);
  return turn.some(({ role, content }) => role === 'system' && content.startsWith(firstWords));
}
