import type { IncomingMessage } from 'node:http';
import { AppError } from '@loom/shared/app-error';

interface BodyOptions {
  max_bytes: number;
  signal: AbortSignal;
}

/**
 * An answer's body as it arrives, as fast as it is read. It fails when it grows beyond its size,
 * breaks off, or is stopped by the signal; in every case the connection ends with it.
 */
export function bodyStream(
  response: IncomingMessage,
  { max_bytes, signal }: BodyOptions,
): ReadableStream<Uint8Array> {
  let size = 0;
  let over = false;
  const stop = new AbortController();
  const finish = (): void => {
    over = true;
    stop.abort();
    response.destroy();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const fail = (error: unknown): void => {
        if (over) return;
        finish();
        controller.error(error);
      };
      response.on('data', (chunk: Buffer) => {
        if (over) return;
        size += chunk.length;
        if (size > max_bytes) return fail(tooLong(max_bytes));
        controller.enqueue(new Uint8Array(chunk));
        if ((controller.desiredSize ?? 0) <= 0) response.pause();
      });
      response.on('end', () => {
        if (over) return;
        finish();
        controller.close();
      });
      response.on('error', fail);
      response.on('close', () => fail(new AppError('unavailable', 'The answer broke off.')));
      response.pause();
      const onAbort = () => fail(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true, signal: stop.signal });
      if (signal.aborted) onAbort();
    },
    pull() {
      response.resume();
    },
    cancel: finish,
  });
}

function tooLong(maxBytes: number): AppError {
  return new AppError('payload_too_large', `The answer is longer than ${maxBytes} bytes.`);
}
