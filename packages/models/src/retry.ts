import type { ModelFailure } from './model-failure.ts';

/** How often and how patiently one model call is repeated. */
export interface RetryPolicy {
  max_attempts: number;
  base_delay_ms: number;
  max_delay_ms: number;
  jitter_ms: number;
  /** A longer wait for a model is left to the caller, who can wait without holding a worker. */
  park_after_ms: number;
}

/**
 * How long to wait in place after the n-th try failed, or null to give up: also when the wait would
 * be longer than the policy has patience for.
 */
export function nextDelay(
  policy: RetryPolicy,
  attempt: number,
  failure: Pick<ModelFailure, 'kind' | 'retry_after_ms'>,
  random: () => number,
): number | null {
  const isFinal = failure.kind === 'rejected' || failure.kind === 'too_long';
  if (isFinal || attempt >= policy.max_attempts) return null;
  const jitter = random() * policy.jitter_ms;
  const asked = failure.retry_after_ms;
  // Never before the time the server named, so jitter only adds to it.
  if (asked !== undefined) return asked > patience(policy) ? null : asked + jitter;
  const backoff = policy.base_delay_ms * 2 ** (attempt - 1);
  const delay = Math.min(policy.max_delay_ms, backoff);
  // Nobody parks for an answer that cannot be read: it is asked for again here or not at all.
  if (delay > policy.park_after_ms && failure.kind !== 'bad_reply') return null;
  return Math.min(policy.max_delay_ms, backoff + jitter);
}

/** The longest time named by a server that is waited for in place. */
export function patience(policy: Pick<RetryPolicy, 'max_delay_ms' | 'park_after_ms'>): number {
  return Math.min(policy.max_delay_ms, policy.park_after_ms);
}
