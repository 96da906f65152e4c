import { setTimeout as delay } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';

/** An event as it came over the wire. Live ones (token deltas) have no id. */
export interface StreamedEvent {
  id: string | null;
  type: string;
  seq?: number;
  at?: string;
  session_id?: string;
  turn_id?: string;
  task_id?: string;
  subtask_id?: string;
  attempt?: number;
  data: Record<string, unknown>;
}

export interface StreamOptions {
  /** The cursor to start after; `0` is the beginning. */
  after?: string;
  signal?: AbortSignal;
  /** What the bytes of each new connection go through, so that a test can cut it; null: nothing. */
  through?: () => TransformStream<Uint8Array, Uint8Array> | null;
}

const reconnectDelayMs = 50;

/**
 * Follows a stream for ever: whenever it breaks, goes on at the next gateway after the last id seen.
 * Ends when the signal fires; throws when the gateway refuses the request.
 */
export async function* streamEvents(
  options: StreamOptions & { urls: string[]; path: string; headers: Record<string, string> },
): AsyncGenerator<StreamedEvent> {
  const { urls, path, signal } = options;
  let cursor = options.after ?? null;
  for (let connection = 0; !signal?.aborted; connection++) {
    const url = new URL(path, urls[connection % urls.length]);
    try {
      const response = await fetch(url, {
        headers: {
          ...options.headers,
          accept: 'text/event-stream',
          ...(cursor === null ? {} : { 'last-event-id': cursor }),
        },
        ...(signal ? { signal } : {}),
      });
      if (response.status < 500 && response.status !== 429 && response.status !== 200) {
        throw new StreamRefused(`${path} answered ${response.status}: ${await response.text()}`);
      }
      if (response.status === 200 && response.body !== null) {
        const filter = options.through?.() ?? null;
        const body = filter === null ? response.body : response.body.pipeThrough(filter);
        for await (const event of parseEvents(body, signal)) {
          if (event.id !== null) cursor = event.id;
          yield event;
        }
      } else {
        await response.body?.cancel();
      }
    } catch (error) {
      if (error instanceof StreamRefused) throw error;
      // A broken connection is what this function is for.
    }
    if (!signal?.aborted) await delay(reconnectDelayMs);
  }
}

class StreamRefused extends Error {}

/** The events of a response's body, as far as they came whole. */
export async function* parseEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
  // That of the request is not enough: now and then a body outlives it and never ends.
  const messages = body
    .pipeThrough(decoder, signal ? { signal } : {})
    .pipeThrough(new EventSourceParserStream());
  for await (const message of messages) {
    const payload = JSON.parse(message.data) as Partial<StreamedEvent>;
    yield {
      data: {},
      ...payload,
      type: message.event ?? payload.type ?? 'message',
      id: message.id ?? null,
    };
  }
}
