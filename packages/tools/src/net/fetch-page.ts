import { setTimeout as delay } from 'node:timers/promises';
import { checkUrl } from './check-url.ts';
import type { Resolve } from './guarded-lookup.ts';
import { type GuardedAnswer, guardedRequest } from './guarded-request.ts';
import { inflateBounded } from './inflate-bounded.ts';
import { maxRedirects, redirectTarget } from './redirect-target.ts';

export interface FetchPageOptions {
  allow_private: boolean;
  /** For everything together: redirects, retries and their pauses. */
  timeout_ms: number;
  /** Of an answer's body, packed and unpacked. */
  max_bytes: number;
  resolve?: Resolve | undefined;
}

export type FetchedPage =
  | {
      outcome: 'fetched';
      status: number;
      /** Where the answer came from in the end. */
      url: URL;
      mime: string;
      body: Buffer;
      /** False when the body is only the beginning: too long, too slow, or broken off. */
      complete: boolean;
    }
  | { outcome: 'failed'; url: URL; reason: string };

const headers = {
  accept: 'text/html, text/markdown, text/plain, application/json, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'Mozilla/5.0 (compatible; loom)',
};

const maxRetries = 2;
const firstPauseMs = 250;
/** A server that wants a longer pause is not asked again. */
const maxPauseMs = 5_000;
const passing = new Set([429, 502, 503, 504]);
const passingFailure = /ECONN(REFUSED|RESET|ABORTED)|EPIPE|EAI_AGAIN|hang up|without an answer/;

/**
 * Gets what is at an address that someone else chose. Each redirect is a new request that passes
 * the guard anew; a failure that may pass is retried, twice at most; size and time are bounded,
 * whatever the other side does.
 */
export async function fetchPage(
  address: URL,
  options: FetchPageOptions & { signal: AbortSignal },
): Promise<FetchedPage> {
  const deadline = performance.now() + options.timeout_ms;
  let url = address;
  let retries = 0;
  for (let followed = 0; ; ) {
    const left = Math.ceil(deadline - performance.now());
    if (left <= 0) return { outcome: 'failed', url, reason: lateReason(options.timeout_ms) };
    const answer = await guardedRequest({
      ...options,
      ...{ url, method: 'GET', headers, timeout_ms: left },
    });
    options.signal.throwIfAborted();
    const pause = retries < maxRetries ? pauseBefore(answer, retries) : null;
    if (pause !== null && performance.now() + pause < deadline) {
      retries += 1;
      await delay(pause, undefined, { signal: options.signal });
      continue;
    }
    if (answer.outcome === 'failed') return { ...answer, url };
    const { status } = answer;
    const target = redirectTarget(url, { status, location: answer.headers.location });
    if (target === null) return unpack(url, answer, options);
    followed += 1;
    if (followed > maxRedirects)
      return { outcome: 'failed', url, reason: 'it redirects too often' };
    const refusal = checkUrl(target, options.allow_private);
    if (refusal !== null) {
      return { outcome: 'failed', url, reason: `it redirects to an address that ${refusal}` };
    }
    url = target;
  }
}

type Answered = Extract<GuardedAnswer, { outcome: 'answered' }>;

async function unpack(
  url: URL,
  answer: Answered,
  { max_bytes, signal }: FetchPageOptions & { signal: AbortSignal },
): Promise<FetchedPage> {
  const encoding = answer.headers['content-encoding'];
  const inflated = await inflateBounded(answer.body, encoding, { max_bytes, signal });
  if (inflated === null) {
    return {
      outcome: 'failed',
      url,
      reason: 'its answer is packed in a way that nobody asked for',
    };
  }
  const mime = answer.headers['content-type'] ?? '';
  const complete = answer.complete && inflated.complete;
  return { outcome: 'fetched', status: answer.status, url, mime, body: inflated.body, complete };
}

// Null when the same request would hardly end better.
function pauseBefore(answer: GuardedAnswer, retries: number): number | null {
  const pause = firstPauseMs * 2 ** retries;
  if (answer.outcome === 'failed') return passingFailure.test(answer.reason) ? pause : null;
  if (!passing.has(answer.status)) return null;
  const wanted = Number(answer.headers['retry-after'] ?? 0) * 1_000;
  if (!Number.isFinite(wanted)) return pause;
  return wanted > maxPauseMs ? null : Math.max(pause, wanted);
}

function lateReason(timeoutMs: number): string {
  return `no answer within ${timeoutMs / 1_000} seconds`;
}
