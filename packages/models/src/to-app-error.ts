import { AppError } from '@loom/shared/app-error';
import type { ModelInfo } from '@loom/shared/chat';
import type { ModelFailure } from './model-failure.ts';
import { patience, type RetryPolicy } from './retry.ts';

interface FailedCall {
  info: Pick<ModelInfo, 'name' | 'provider'>;
  attempts: number;
  /** Part of the answer had been shown. */
  streamed: boolean;
  retry: Pick<RetryPolicy, 'max_delay_ms' | 'park_after_ms'>;
}

/** The error that callers see once a call is given up; it never holds a key or the request. */
export function toAppError(failure: ModelFailure, call: FailedCall): AppError {
  const { kind, message, status, retry_after_ms } = failure;
  const who = `The model "${call.info.name}" (${call.info.provider})`;
  const details = { model: call.info.name, status, attempts: call.attempts, retry_after_ms };
  // A server that names a time is not broken: it wants to be left alone until then.
  const askedForPatience = (retry_after_ms ?? 0) > patience(call.retry);
  if (kind === 'rejected') {
    return new AppError('model_rejected', `${who} refused the request: ${message}`, { details });
  }
  if (kind === 'too_long') {
    const text = `${who} was sent more than it can read at once: ${message}`;
    return new AppError('context_too_long', text, { details });
  }
  if (kind === 'rate_limited' || askedForPatience) {
    const text = `${who} is limiting requests: ${message}`;
    return new AppError('model_rate_limited', text, { retryable: true, details });
  }
  if (kind === 'bad_reply') {
    return new AppError('model_bad_reply', `${who} answered unusably: ${message}`, { details });
  }
  const text = call.streamed
    ? `${who} broke off in the middle of its answer: ${message}`
    : `${who} is not available: ${message}`;
  return new AppError('model_unavailable', text, { retryable: true, details });
}
