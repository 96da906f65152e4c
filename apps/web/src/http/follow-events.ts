import { AppError } from '@loom/shared/app-error';
import { createParser } from 'eventsource-parser';
import { readStreamEvent, type StreamEvent } from './stream-event.ts';

interface FollowOptions {
  url: string;
  /** Cursor to resume after. */
  after: string;
  signal: AbortSignal;
  on_event: (event: StreamEvent) => void;
  /** Told when the stream opens, and when it could not be opened again. */
  on_link: (connected: boolean) => void;
  tunables?: { first_pause_ms: number; longest_pause_ms: number; silence_ms: number };
}

// A connection that is silent for longer than the server's heartbeats is taken for dead.
const defaults = { first_pause_ms: 250, longest_pause_ms: 8_000, silence_ms: 60_000 };

/**
 * Follows a session's events until aborted: reconnects by itself and resumes after the last cursor,
 * so each event is given once. Ends with an error only when the gateway refuses the stream.
 */
export async function followEvents(options: FollowOptions): Promise<void> {
  const { first_pause_ms, longest_pause_ms, silence_ms } = options.tunables ?? defaults;
  let cursor = options.after;
  let pause = first_pause_ms;
  while (!options.signal.aborted) {
    const outcome = await readStream({ ...options, after: cursor }, silence_ms, (next) => {
      cursor = next;
      pause = first_pause_ms;
    });
    if (options.signal.aborted) return;
    if (outcome === 'unreachable') options.on_link(false);
    await wait(pause, options.signal);
    pause = Math.min(pause * 2, longest_pause_ms);
  }
}

async function readStream(
  options: FollowOptions,
  silenceMs: number,
  onCursor: (cursor: string) => void,
): Promise<'ended' | 'unreachable'> {
  const silence = new AbortController();
  const signal = AbortSignal.any([options.signal, silence.signal]);
  const stop = () => silence.abort();
  let timer = setTimeout(stop, silenceMs);
  try {
    const response = await fetch(`${options.url}?after=${encodeURIComponent(options.after)}`, {
      headers: { accept: 'text/event-stream' },
      signal,
    });
    if (response.status === 401) throw new AppError('unauthenticated', 'Sign in again.');
    if (response.status === 404) throw new AppError('not_found', 'This session does not exist.');
    if (!response.ok || !response.body) return 'unreachable';
    options.on_link(true);
    const parser = createParser({
      onEvent: (message) => {
        const event = readStreamEvent(message.event, message.data);
        if (event) options.on_event(event);
        if (message.id) onCursor(message.id);
      },
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 'ended';
      clearTimeout(timer);
      timer = setTimeout(stop, silenceMs);
      parser.feed(value);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    return 'unreachable';
  } finally {
    clearTimeout(timer);
  }
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });
}
