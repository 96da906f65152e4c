import { setTimeout as delay } from 'node:timers/promises';
import { type ApiClient, refusal } from './api-client.ts';
import { CommandFailure } from './command-failure.ts';
import { exitCodes } from './exit-codes.ts';
import { readEventStream } from './read-event-stream.ts';
import { type StreamEvent, streamEventSchema } from './stream-event.ts';

/** Silence after which a connection is taken for dead; the gateway sends comments far more often. */
const silenceMs = 60_000;
const firstBackoffMs = 250;
const maxBackoffMs = 5_000;
/** How long the gateway may be gone before following it is given up. */
const maxOutageMs = 120_000;

/** An event and the cursor that resumes right after it; null for live events before any other. */
export interface Followed {
  event: StreamEvent;
  cursor: string | null;
}

interface FollowOptions {
  /** A cursor; null starts where the gateway starts such a stream. */
  after: string | null;
  signal: AbortSignal;
  onOpen?: () => void;
  onLost?: () => void;
}

/**
 * The events of a stream across disconnects, without a gap or a repeat. Where the connection broke
 * before there was a cursor, a `stream.reset` says that something may have been missed.
 */
export async function* followEvents(
  client: ApiClient,
  path: string,
  { after, signal, onOpen, onLost }: FollowOptions,
): AsyncGenerator<Followed> {
  let cursor = after;
  let opened = false;
  let lostAt = 0;
  let backoff = firstBackoffMs;
  while (!signal.aborted) {
    const silence = new AbortController();
    const watchdog = setTimeout(() => silence.abort(), silenceMs);
    try {
      const response = await openStream(
        client,
        path,
        cursor,
        AbortSignal.any([signal, silence.signal]),
      );
      if (opened && cursor === null) {
        yield { event: { type: 'stream.reset', data: {} }, cursor };
      }
      opened = true;
      lostAt = 0;
      onOpen?.();
      for await (const message of readEventStream(response, () => watchdog.refresh())) {
        backoff = firstBackoffMs;
        cursor = message.id ?? cursor;
        const event = streamEventSchema.safeParse(parseData(message.data, message.event));
        if (event.success) yield { event: event.data, cursor };
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!opened || isFinal(error)) throw error;
    } finally {
      clearTimeout(watchdog);
    }
    if (signal.aborted) return;
    if (lostAt === 0) {
      lostAt = Date.now();
      onLost?.();
    } else if (Date.now() - lostAt > maxOutageMs) {
      throw new CommandFailure(
        `The gateway at ${client.base_url} went away and did not come back.`,
        {
          exit_code: exitCodes.unreachable,
        },
      );
    }
    await delay(backoff, undefined, { signal }).catch(() => {});
    backoff = Math.min(backoff * 2, maxBackoffMs);
  }
}

async function openStream(
  client: ApiClient,
  path: string,
  cursor: string | null,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (cursor !== null) headers['last-event-id'] = cursor;
  const response = await client.open(path, headers, signal);
  if (!response.ok || response.body === null) throw await refusal(response);
  return response.body;
}

/** A refusal that asking again does not change. */
function isFinal(error: unknown): boolean {
  const status = error instanceof CommandFailure ? error.problem?.status : undefined;
  return status !== undefined && status < 500 && status !== 408 && status !== 429;
}

function parseData(data: string, type: string | undefined): unknown {
  try {
    const value = JSON.parse(data);
    return typeof value === 'object' && value !== null ? { type, ...value } : null;
  } catch {
    return null;
  }
}
