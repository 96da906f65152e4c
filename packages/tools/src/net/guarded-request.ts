import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { checkUrl } from './check-url.ts';
import type { Resolve } from './guarded-lookup.ts';
import { describeFailure, openRequest } from './open-request.ts';

interface GuardedRequest {
  url: URL;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  /** For everything together: resolving, connecting, waiting, reading. */
  timeout_ms: number;
  /** Of the answer's body; what comes after is not read. */
  max_bytes: number;
  /** Also lets addresses of private networks through. */
  allow_private: boolean;
  signal?: AbortSignal;
  resolve?: Resolve | undefined;
}

/** What came of a request that left this machine, or was kept from leaving it. */
export type GuardedAnswer =
  | {
      outcome: 'answered';
      status: number;
      headers: IncomingHttpHeaders;
      body: Buffer;
      /** False when the body is only the beginning: too long, too slow, or broken off. */
      complete: boolean;
    }
  | { outcome: 'failed'; reason: string };

/**
 * One HTTP request to an address that someone else chose: it reaches no address that the guard
 * refuses, follows no redirect, uses no proxy, and ends within its time and size.
 */
export function guardedRequest(options: GuardedRequest): Promise<GuardedAnswer> {
  const { url, allow_private, signal } = options;
  const refusal = checkUrl(url, allow_private);
  if (refusal !== null) return Promise.resolve(failed(`the address ${refusal}`));
  if (signal?.aborted) return Promise.resolve(failed('stopped before it was sent'));

  return new Promise((resolve) => {
    const request = openRequest(options);
    let reading: { response: IncomingMessage; chunks: Buffer[] } | null = null;

    const settle = (answer: GuardedAnswer): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(answer);
      request.destroy();
    };
    const answered = (complete: boolean): void => {
      if (reading === null) return;
      const { response, chunks } = reading;
      const body = Buffer.concat(chunks).subarray(0, options.max_bytes);
      const { statusCode: status = 0, headers } = response;
      settle({ outcome: 'answered', status, headers, body, complete });
    };
    // A status that has arrived stands, whatever becomes of the body.
    const cut = (reason: string): void => {
      if (reading === null) settle(failed(reason));
      else answered(false);
    };
    const onAbort = () => settle(failed('stopped while it was under way'));
    const timer = setTimeout(
      () => cut(`no answer within ${options.timeout_ms / 1_000} seconds`),
      options.timeout_ms,
    );
    signal?.addEventListener('abort', onAbort, { once: true });

    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      reading = { response, chunks };
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > options.max_bytes) answered(false);
      });
      response.on('end', () => answered(response.complete));
      response.on('error', () => answered(false));
    });
    request.on('error', (error) => cut(describeFailure(error)));
    request.on('close', () => cut('the connection was closed without an answer'));
    request.end(options.body);
  });
}

function failed(reason: string): GuardedAnswer {
  return { outcome: 'failed', reason };
}
