import type { Message } from '@loom/shared/api';
import type { ConversationState } from './conversation-state.ts';
import type { TranscriptItem } from './transcript.ts';

/** The conversation as it was around some messages of its archive: without what came later. */
export function pastPart(state: ConversationState, messages: Message[]): ConversationState {
  const last = messages.at(-1)?.created_at ?? '';
  const turns = new Set(messages.map(({ turn_id }) => turn_id));
  const tasks = Object.values(state.tasks).filter(
    (task) => task.created_at <= last || turns.has(task.turn_id),
  );
  return {
    ...state,
    messages,
    live: null,
    tasks: Object.fromEntries(tasks.map((task) => [task.id, task])),
  };
}

/** The key of what shows a message; null when nothing does. */
export function itemOfMessage(items: TranscriptItem[], number: number | null): string | null {
  if (number === null) return null;
  return items.find(({ numbers }) => numbers.includes(number))?.key ?? null;
}
