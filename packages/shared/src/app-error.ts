/** Every failure code the product can report. Closed: a new failure gets a new code here. */
export const errorCodes = [
  'invalid_request',
  'malformed_request',
  'invalid_config',
  'invalid_plan',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'session_ended',
  'session_busy',
  'already_ended',
  'idempotency_mismatch',
  'idempotency_in_progress',
  'payload_too_large',
  'unsupported_media_type',
  'method_not_allowed',
  'rate_limited',
  'overloaded',
  'unavailable',
  'revert_conflict',
  'workspace_invalid',
  'model_unavailable',
  'model_rejected',
  'model_rate_limited',
  'model_bad_reply',
  'context_too_long',
  'iterations_exhausted',
  'time_exhausted',
  'completion_missing',
  'completion_partial',
  'completion_blocked',
  'budget_exhausted',
  'tool_failed',
  'cancelled',
  'lost_ownership',
  'internal',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

interface AppErrorOptions {
  retryable?: boolean;
  details?: Record<string, unknown>;
  cause?: unknown;
}

/** The one error type: a closed code, a sentence for people, and whether trying again can help. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.details = options.details ?? {};
  }
}

/** The sentence of anything thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
