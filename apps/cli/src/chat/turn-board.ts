import type { Message, Turn } from '@loom/shared/api';
import { isTerminalTurn } from '@loom/shared/statuses';
import { z } from 'zod';
import type { StreamEvent } from '../stream-event.ts';

/** What `ask_user` was called with. */
export const userQuestionSchema = z.object({
  question: z.string(),
  options: z.array(z.string()).default([]),
});

const callsSchema = z.object({
  tool_calls: z.array(z.object({ name: z.string(), arguments: z.unknown() })).nullish(),
});

/** The turns of a session that have not ended, whoever started them. */
export interface TurnBoard {
  hear(event: StreamEvent): void;
  /** A turn as it was found, with the messages that say what it asked. */
  set(turn: Pick<Turn, 'id' | 'status'>, messages: Message[]): void;
  /** A message was taken for this turn. */
  accepted(turnId: string): void;
  open(): string[];
  /** The turn that works, or waits for anything but its user. */
  busy(): string | null;
  /** What the user may answer with, when a turn waits for the user. */
  asking(): { options: string[] } | null;
  /** The turn that was heard of last. */
  latest(): string | null;
}

/** The events after which a turn does nothing more. */
export const turnEndings = ['turn.completed', 'turn.failed', 'turn.cancelled'];

/** Starts without a turn. Turns run one after another, so the oldest open one is the one at work. */
export function createTurnBoard(): TurnBoard {
  const statuses = new Map<string, 'working' | 'asking'>();
  let latest: string | null = null;
  let options: string[] = [];

  const put = (turnId: string, status: 'working' | 'asking') => {
    statuses.set(turnId, status);
    latest = turnId;
  };

  return {
    hear(event) {
      const { turn_id: id, type } = event;
      if (!id) return;
      if (type.startsWith('turn.')) latest = id;
      if (turnEndings.includes(type)) statuses.delete(id);
      else if (type === 'turn.awaiting_user') put(id, 'asking');
      else if (type.startsWith('turn.')) put(id, 'working');
      else if (type === 'message.appended') options = optionsOf(event.data) ?? options;
    },
    set({ id, status }, messages) {
      if (isTerminalTurn(status)) statuses.delete(id);
      else put(id, status === 'awaiting_user' ? 'asking' : 'working');
      for (const message of messages) options = optionsOf(message) ?? options;
    },
    accepted: (turnId) => put(turnId, 'working'),
    open: () => [...statuses.keys()],
    busy: () => [...statuses].find(([, status]) => status === 'working')?.[0] ?? null,
    asking: () => ([...statuses.values()].includes('asking') ? { options } : null),
    latest: () => latest,
  };
}

function optionsOf(message: unknown): string[] | null {
  const calls = callsSchema.safeParse(message).data?.tool_calls ?? [];
  const asked = calls.find(({ name }) => name === 'ask_user');
  if (asked === undefined) return null;
  return userQuestionSchema.safeParse(asked.arguments).data?.options ?? [];
}
