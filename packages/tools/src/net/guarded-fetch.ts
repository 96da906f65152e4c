import type { IncomingMessage } from 'node:http';
import { AppError } from '@loom/shared/app-error';
import { bodyStream } from './body-stream.ts';
import { checkUrl } from './check-url.ts';
import type { Resolve } from './guarded-lookup.ts';
import { describeFailure, openRequest } from './open-request.ts';
import { isDowngrade, maxRedirects, redirectTarget } from './redirect-target.ts';

interface GuardedFetchOptions {
  /** Also lets addresses of private networks through. */
  allow_private: boolean;
  /** Until the answer begins; all but an event stream must also have ended by then. */
  timeout_ms: number;
  /** Of an answer's body; one that is longer fails while it is read. */
  max_bytes: number;
  resolve?: Resolve;
}

interface Hop {
  url: URL;
  method: string;
  headers: Headers;
  body: Buffer | null;
}

// What a server that was only named by another one may see.
const harmlessHeaders = new Set(['accept', 'content-type', 'mcp-protocol-version', 'user-agent']);
const withoutBody = new Set([204, 205, 304]);

/**
 * A `fetch` for addresses that someone else chose: each request and each redirect passes the guard,
 * answers are bounded in size and, unless they are event streams, in time.
 */
export function guardedFetch(options: GuardedFetchOptions): typeof fetch {
  return async (input, init) => {
    const { signal, ...rest } = init ?? {};
    const request = new Request(input, rest);
    const stop = signal ?? (input instanceof Request ? input.signal : new AbortController().signal);
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
    let hop: Hop = {
      url: new URL(request.url),
      method: request.method,
      headers: request.headers,
      body,
    };
    for (let followed = 0; ; followed++) {
      const response = await send(hop, options, stop);
      if (request.redirect === 'manual') return response;
      const location = response.headers.get('location');
      const target = redirectTarget(hop.url, { status: response.status, location });
      if (target === null) return response;
      await response.body?.cancel();
      if (request.redirect === 'error') throw refused(hop.url, 'redirects, which is not expected');
      if (followed === maxRedirects) throw refused(hop.url, 'redirects too often');
      if (isDowngrade(hop.url, target)) {
        throw refused(hop.url, 'redirects to an address without encryption');
      }
      hop = nextHop(hop, target, response.status);
    }
  };
}

async function send(
  hop: Hop,
  options: GuardedFetchOptions,
  signal: AbortSignal,
): Promise<Response> {
  const { url, method, body } = hop;
  const { allow_private, resolve } = options;
  signal.throwIfAborted();
  const refusal = checkUrl(url, allow_private);
  if (refusal !== null) throw new AppError('forbidden', `The address ${refusal}.`);
  const ended = new AbortController();
  const late = () =>
    ended.abort(refused(url, `gave no answer within ${options.timeout_ms / 1_000} seconds`));
  const timer = setTimeout(late, options.timeout_ms);
  const both = AbortSignal.any([signal, ended.signal]);
  const request = openRequest({
    ...{ url, method, allow_private, resolve },
    headers: Object.fromEntries(hop.headers),
  });
  try {
    const response = await new Promise<IncomingMessage>((answered, failed) => {
      request.on('response', answered);
      request.on('error', (error) => failed(refused(url, describeFailure(error))));
      request.on('close', () => failed(refused(url, 'closed the connection without an answer')));
      both.addEventListener('abort', () => failed(both.reason), { once: true });
      request.end(body);
    });
    request.on('close', () => clearTimeout(timer));
    // It ends when its reader, or its writer, has had enough.
    if (isEventStream(response)) clearTimeout(timer);
    return toResponse(
      response,
      url,
      bodyStream(response, { max_bytes: options.max_bytes, signal: both }),
    );
  } catch (error) {
    clearTimeout(timer);
    request.destroy();
    throw error;
  }
}

function toResponse(answer: IncomingMessage, url: URL, body: ReadableStream<Uint8Array>): Response {
  const status = answer.statusCode ?? 0;
  const headers = new Headers();
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '');
  }
  const init = { status, statusText: answer.statusMessage ?? '', headers };
  const response = new Response(withoutBody.has(status) ? null : body, init);
  // A made response has no address of its own, and clients look for it.
  return Object.defineProperty(response, 'url', { value: url.href });
}

function isEventStream({ headers }: IncomingMessage): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

function nextHop({ url, method, headers, body }: Hop, target: URL, status: number): Hop {
  const kept = new Headers(headers);
  if (target.origin !== url.origin) {
    for (const name of headers.keys()) if (!harmlessHeaders.has(name)) kept.delete(name);
  }
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  if (!becomesGet) return { url: target, method, headers: kept, body };
  kept.delete('content-type');
  return { url: target, method: 'GET', headers: kept, body: null };
}

// Only the host is told: the rest of an address may hold secrets.
function refused(url: URL, what: string): AppError {
  return new AppError('unavailable', `${url.host}: ${what}.`, { retryable: true });
}
