import {
  type CreateTurn,
  type TurnAccepted,
  turnAcceptedSchema,
  turnSchema,
} from '@loom/shared/api';
import { type ApiClient, readAs } from './api-client.ts';
import { type Deferred, deferred } from './chat/deferred.ts';
import { CommandFailure } from './command-failure.ts';
import { followEvents } from './follow-events.ts';
import type { StreamEvent } from './stream-event.ts';

export type TurnEnd = 'completed' | 'failed' | 'cancelled' | 'awaiting_user';

const turnEnds: Record<string, TurnEnd> = {
  'turn.completed': 'completed',
  'turn.failed': 'failed',
  'turn.cancelled': 'cancelled',
  'turn.awaiting_user': 'awaiting_user',
};

/** A message that was taken. */
export interface SentMessage {
  turn_id: string;
  message_number: number;
  /** Resolves when the turn ended or waits for the user, and fails when the turn did. */
  ended: Promise<TurnEnd>;
}

interface SayOptions {
  /** What happens when a turn is at work; without it the message waits its turn. */
  if_busy?: CreateTurn['if_busy'];
  /** Called before any event that follows is heard. */
  onAccepted?: (accepted: TurnAccepted) => void;
}

/** A session being talked to, its events heard in order. */
export interface Conversation {
  /** Resolves as soon as the message is stored. */
  say(content: string, options?: SayOptions): Promise<SentMessage>;
  /** Resolves when the turn ended or waits for the user. */
  send(content: string): Promise<TurnEnd>;
  /** Asks a turn to stop, or the oldest that was sent from here; false when there is none. */
  cancel(turnId?: string): Promise<boolean>;
  close(): Promise<void>;
}

interface ConversationOptions {
  client: ApiClient;
  session_id: string;
  /** '0' for a new session; null joins an old one at its end. */
  after: string | null;
  onEvent(event: StreamEvent): void;
  onLost?: () => void;
  /** Nothing will be heard any more. */
  onBroken?: (error: unknown) => void;
  /** Done when the stream is open and before its first event is heard. */
  prepare?: () => Promise<void>;
  /** Something may have been missed: what is known is to be looked at anew. */
  onReset?: () => Promise<void>;
}

/** The path of a session in the API. */
export function sessionPath(id: string): string {
  return `/api/sessions/${encodeURIComponent(id)}`;
}

/** Listens before it speaks, so that no event of a turn is missed. */
export async function openConversation(options: ConversationOptions): Promise<Conversation> {
  const { client, onEvent } = options;
  const path = sessionPath(options.session_id);
  const stop = new AbortController();
  const opened = deferred<void>();
  const prepared = deferred<void>();
  const waiting = new Map<string, Deferred<TurnEnd>>();
  const shown = new Set<unknown>();
  let accepting: Promise<unknown> = Promise.resolve();
  let broken: { error: unknown } | null = null;

  const hear = (event: StreamEvent) => {
    if (event.type === 'message.appended') shown.add(event.data.number);
    onEvent(event);
  };

  const turnPath = (id: string) => `${path}/turns/${encodeURIComponent(id)}`;

  const endTurn = (id: string, end: TurnEnd) => {
    waiting.get(id)?.resolve(end);
    waiting.delete(id);
  };

  // Something may have been missed: what the turn became is asked instead.
  const lookAtTurn = async (id: string) => {
    const turn = readAs(turnSchema, await client.request('GET', turnPath(id)));
    if (turnEnds[`turn.${turn.status}`] === undefined) return;
    for (const message of turn.messages) {
      if (shown.has(message.number)) continue;
      hear({ type: 'message.appended', turn_id: id, data: { ...message } });
    }
    endTurn(id, turn.status as TurnEnd);
  };

  const listen = async () => {
    const events = followEvents(client, `${path}/events`, {
      after: options.after,
      signal: stop.signal,
      onOpen: opened.resolve,
      onLost: options.onLost,
    });
    for await (const { event } of events) {
      await prepared.promise;
      // A turn's first events can overtake the answer that names the turn.
      await accepting;
      hear(event);
      if (event.type === 'stream.reset') {
        await options.onReset?.();
        for (const id of waiting.keys()) await lookAtTurn(id);
      }
      const end = turnEnds[event.type];
      if (end !== undefined && event.turn_id) endTurn(event.turn_id, end);
    }
  };
  const listening = listen().catch((error: unknown) => {
    broken = { error };
    opened.reject(error);
    options.onBroken?.(error);
    for (const ended of waiting.values()) ended.reject(error);
  });
  await opened.promise;
  await prepare(options.prepare, prepared, stop);

  const accept = async (content: string, { if_busy, onAccepted }: SayOptions) => {
    const body = await client.request('POST', `${path}/turns`, { content, if_busy });
    const accepted = readAs(turnAcceptedSchema, body);
    const end = waiting.get(accepted.turn_id) ?? deferred<TurnEnd>();
    waiting.set(accepted.turn_id, end);
    if (broken !== null) throw broken.error;
    onAccepted?.(accepted);
    return { ...accepted, end };
  };

  const explainFailure = async (id: string, end: TurnEnd): Promise<TurnEnd> => {
    if (end !== 'failed') return end;
    const turn = readAs(turnSchema, await client.request('GET', turnPath(id)));
    throw new CommandFailure(`The turn failed: ${turn.error?.message ?? 'no reason was given'}`);
  };

  const say = async (content: string, sayOptions: SayOptions = {}): Promise<SentMessage> => {
    const accepted = accept(content, sayOptions);
    accepting = Promise.allSettled([accepting, accepted]);
    const { turn_id, message_number, end } = await accepted;
    const ended = end.promise.then((how) => explainFailure(turn_id, how));
    ended.catch(() => {});
    return { turn_id, message_number, ended };
  };

  return {
    say,
    send: async (content) => (await say(content)).ended,
    async cancel(turnId) {
      // A turn that is just being accepted can be stopped as soon as its name is known.
      await accepting;
      const id = turnId ?? waiting.keys().next().value;
      if (id === undefined) return false;
      await client.request('POST', `${turnPath(id)}/cancel`);
      return true;
    },
    async close() {
      stop.abort();
      prepared.resolve();
      await listening;
    },
  };
}

/** Lets events be heard once everything is ready for them; a failure ends the listening. */
async function prepare(
  work: (() => Promise<void>) | undefined,
  prepared: Deferred<void>,
  stop: AbortController,
): Promise<void> {
  try {
    await work?.();
    prepared.resolve();
  } catch (error) {
    stop.abort();
    prepared.reject(error);
    throw error;
  }
}
