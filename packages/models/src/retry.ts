import type { ModelFailure } from './model-failure.ts';

/** How often and how patiently one model call is repeated. */
export interface RetryPolicy {
  max_attempts: number;
  base_delay_ms: number;
  max_delay_ms: number;
  jitter_ms: number;
}

/**
 * How long to wait after the n-th try failed, or null to give up: also when the server asks for
 * more patience than the policy has.
 */
export function nextDelay(
  policy: RetryPolicy,
  attempt: number,
  failure: Pick<ModelFailure, 'kind' | 'retry_after_ms'>,
  random: () => number,
): number | null {
  if (failure.kind === 'rejected' || attempt >= policy.max_attempts) return null;
  const jitter = random() * policy.jitter_ms;
  const asked = failure.retry_after_ms;
  // Never before the time the server named, so jitter only adds to it.
  if (asked !== undefined) return asked > policy.max_delay_ms ? null : asked + jitter;
  const backoff = policy.base_delay_ms * 2 ** (attempt - 1);
  return Math.min(policy.max_delay_ms, backoff + jitter);
}
