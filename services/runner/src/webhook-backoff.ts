import type { Config } from '@loom/shared/config';

type Delays = Pick<Config['webhooks'], 'base_delay_seconds' | 'max_delay_seconds'>;

/**
 * Seconds from the n-th attempt to the next: twice as long each time, longer if the receiver asks for
 * it, never longer than the cap.
 */
export function webhookBackoff(
  number: number,
  retryAfterSeconds: number | null,
  { base_delay_seconds, max_delay_seconds }: Delays,
): number {
  const doubled = base_delay_seconds * 2 ** (number - 1);
  return Math.min(max_delay_seconds, Math.max(doubled, retryAfterSeconds ?? 0));
}

/** What a Retry-After header asks for, in seconds; null when it says nothing that can be read. */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  // Only dates begin with the name of a day; Date.parse would read much else.
  const at = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1_000);
}
