import { turnAcceptedSchema, turnSchema } from '@loom/shared/api';
import { type ApiClient, readAs } from './api-client.ts';
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

/** A session being talked to: one turn at a time, its events heard in order. */
export interface Conversation {
  /** Resolves when the turn ended or waits for the user. */
  send(content: string): Promise<TurnEnd>;
  /** Asks the running turn to stop; false when none is running. */
  cancel(): Promise<boolean>;
  close(): Promise<void>;
}

interface WaitingTurn {
  id: string;
  ended: Deferred<TurnEnd>;
}

/** Listens before it speaks, so that no event of a turn is missed. */
export async function openConversation(options: {
  client: ApiClient;
  session_id: string;
  /** '0' for a new session; null joins an old one at its end. */
  after: string | null;
  onEvent(event: StreamEvent): void;
  onLost?: () => void;
}): Promise<Conversation> {
  const { client, onEvent } = options;
  const path = `/api/sessions/${encodeURIComponent(options.session_id)}`;
  const stop = new AbortController();
  const opened = deferred<void>();
  let accepting: Promise<unknown> = Promise.resolve();
  let waiting: WaitingTurn | null = null;
  let broken: { error: unknown } | null = null;
  const shown = new Set<unknown>();

  const hear = (event: StreamEvent) => {
    if (event.type === 'message.appended') shown.add(event.data.number);
    onEvent(event);
  };

  const turnPath = (id: string) => `${path}/turns/${encodeURIComponent(id)}`;

  const endTurn = (end: TurnEnd) => {
    waiting?.ended.resolve(end);
    waiting = null;
  };

  // Something may have been missed: what the turn became is asked instead.
  const lookAtTurn = async (id: string) => {
    const turn = readAs(turnSchema, await client.request('GET', turnPath(id)));
    if (turnEnds[`turn.${turn.status}`] === undefined) return;
    for (const message of turn.messages) {
      if (shown.has(message.number)) continue;
      hear({ type: 'message.appended', turn_id: id, data: { ...message } });
    }
    endTurn(turn.status as TurnEnd);
  };

  const listen = async () => {
    const events = followEvents(client, `${path}/events`, {
      after: options.after,
      signal: stop.signal,
      onOpen: opened.resolve,
      onLost: options.onLost,
    });
    for await (const { event } of events) {
      // A turn's first events can overtake the answer that names the turn.
      await accepting;
      hear(event);
      if (waiting === null) continue;
      if (event.type === 'stream.reset') await lookAtTurn(waiting.id);
      const end = turnEnds[event.type];
      if (end !== undefined && event.turn_id === waiting?.id) endTurn(end);
    }
  };
  const listening = listen().catch((error: unknown) => {
    broken = { error };
    opened.reject(error);
    waiting?.ended.reject(error);
  });
  await opened.promise;

  return {
    async send(content) {
      const ended = deferred<TurnEnd>();
      const accept = async () => {
        const body = await client.request('POST', `${path}/turns`, { content });
        waiting = { id: readAs(turnAcceptedSchema, body).turn_id, ended };
        if (broken !== null) throw broken.error;
        return waiting.id;
      };
      const accepted = accept();
      accepting = accepted.catch(() => {});
      const id = await accepted;
      const end = await ended.promise;
      if (end !== 'failed') return end;
      const turn = readAs(turnSchema, await client.request('GET', turnPath(id)));
      throw new CommandFailure(`The turn failed: ${turn.error?.message ?? 'no reason was given'}`);
    },
    async cancel() {
      // A turn that is just being accepted can be stopped as soon as its name is known.
      await accepting;
      if (waiting === null) return false;
      await client.request('POST', `${turnPath(waiting.id)}/cancel`);
      return true;
    },
    async close() {
      stop.abort();
      await listening;
    },
  };
}

interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
