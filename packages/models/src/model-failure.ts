import { AppError, errorMessage } from '@loom/shared/app-error';
import { isContextTooLong } from './is-context-too-long.ts';
import { providerMessage } from './provider-message.ts';
import { parseRetryAfter } from './retry-after.ts';
import { StreamFailure } from './stream-failure.ts';

/** Why one try failed. Everything but `rejected` and `too_long` may be tried again. */
export interface ModelFailure {
  kind: 'rate_limited' | 'unavailable' | 'rejected' | 'too_long' | 'bad_reply';
  message: string;
  status?: number;
  retry_after_ms?: number;
}

interface SdkError extends Error {
  statusCode?: number;
  responseHeaders?: Record<string, string>;
  responseBody?: string;
}

/** The class of what a provider threw; null for anything else, which is a defect of ours. */
export function toModelFailure(error: unknown, now: number): ModelFailure | null {
  if (error instanceof StreamFailure) {
    const { message, status } = error;
    return {
      kind: isContextTooLong(status, message) ? 'too_long' : kindOfStatus(status),
      message,
      status,
    };
  }
  if (error instanceof AppError) return null;
  if (hasNetworkCode(error)) return { kind: 'unavailable', message: rootMessage(error) };
  if (!isSdkError(error)) return null;
  const status = error.statusCode;
  if (error.name !== 'AI_APICallError' || (status !== undefined && status < 300)) {
    return {
      kind: 'bad_reply',
      message: `the reply is not what the protocol says (${error.message})`,
    };
  }
  if (status === undefined) return { kind: 'unavailable', message: error.message };
  return {
    kind: kindOfAnswer(status, error.responseBody ?? ''),
    message: providerMessage(error.responseBody ?? '') || error.message,
    status,
    retry_after_ms: parseRetryAfter(error.responseHeaders ?? {}, now),
  };
}

function kindOfStatus(status: number): ModelFailure['kind'] {
  if (status === 429) return 'rate_limited';
  const isPassing = status === 408 || status === 409 || status === 425 || status >= 500;
  return isPassing ? 'unavailable' : 'rejected';
}

function kindOfAnswer(status: number, body: string): ModelFailure['kind'] {
  if (isContextTooLong(status, body)) return 'too_long';
  // OpenAI says 429 for an empty account as well; waiting does not fill it.
  const isOutOfQuota = status === 429 && body.includes('"insufficient_quota"');
  return isOutOfQuota ? 'rejected' : kindOfStatus(status);
}

function isSdkError(error: unknown): error is SdkError {
  return error instanceof Error && error.name.startsWith('AI_');
}

function hasNetworkCode(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' || hasNetworkCode(error.cause);
}

function rootMessage(error: unknown): string {
  if (!(error instanceof Error) || error.cause === undefined) return errorMessage(error);
  return rootMessage(error.cause);
}
