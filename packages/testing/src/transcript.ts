import { errorMessage } from '@loom/shared/app-error';
import type { StreamedEvent } from './event-stream.ts';
import { onFileEnd } from './file-end.ts';

/** What one client was told of one stream, over however many connections. */
export interface Transcript {
  stream: { kind: 'task' | 'session'; id: string };
  /** The durable events in the order they came. */
  events: StreamedEvent[];
  /** Events without a place in the log: deltas, snapshots, resets. */
  live: StreamedEvent[];
  /** Resolves when the event with this sequence number, or a later one, has come. */
  reached(seq: number, timeoutMs?: number): Promise<void>;
  /** Resolves when the condition, looked at after every event, holds. */
  when(condition: () => boolean, timeoutMs?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Follows a stream from its beginning until stopped. */
export function followStream(
  stream: Transcript['stream'],
  open: (signal: AbortSignal) => AsyncGenerator<StreamedEvent>,
): Transcript {
  const stopped = new AbortController();
  const events: StreamedEvent[] = [];
  const live: StreamedEvent[] = [];
  let failure: string | null = null;
  const watchers = new Set<() => void>();

  const reading = (async () => {
    for await (const event of open(stopped.signal)) {
      (event.id === null ? live : events).push(event);
      for (const watch of watchers) watch();
    }
  })().catch((error) => {
    failure = errorMessage(error);
    for (const watch of watchers) watch();
  });

  const lastSeq = () => events.at(-1)?.seq ?? 0;

  const stop = async () => {
    stopped.abort();
    await reading;
  };
  onFileEnd(stop);

  const wait = (condition: () => boolean, goal: string, timeoutMs = 10_000) =>
    new Promise<void>((resolve, reject) => {
      const settle = (problem: string | null) => {
        clearTimeout(timer);
        watchers.delete(watch);
        if (problem === null) resolve();
        else reject(new Error(`${stream.id}, event ${lastSeq()}${goal}: ${problem}`));
      };
      const watch = () => {
        try {
          if (condition()) settle(null);
          else if (failure !== null) settle(failure);
        } catch (error) {
          settle(errorMessage(error));
        }
      };
      const timer = setTimeout(() => settle(`no more after ${timeoutMs} ms`), timeoutMs);
      watchers.add(watch);
      watch();
    });

  return {
    stream,
    events,
    live,
    reached: (seq, timeoutMs) => wait(() => lastSeq() >= seq, ` of ${seq}`, timeoutMs),
    when: (condition, timeoutMs) => wait(condition, '', timeoutMs),
    stop,
  };
}
