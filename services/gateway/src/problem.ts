import type { Problem } from '@loom/shared/api';
import { AppError, type ErrorCode } from '@loom/shared/app-error';

/** The HTTP status of every code. */
export const statusOfCode: Record<ErrorCode, number> = {
  invalid_request: 422,
  malformed_request: 400,
  invalid_config: 500,
  invalid_plan: 422,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  session_ended: 409,
  session_busy: 409,
  already_ended: 409,
  idempotency_mismatch: 422,
  idempotency_in_progress: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  method_not_allowed: 405,
  rate_limited: 429,
  overloaded: 503,
  unavailable: 503,
  revert_conflict: 409,
  workspace_invalid: 422,
  model_unavailable: 503,
  model_rejected: 502,
  model_rate_limited: 503,
  model_bad_reply: 502,
  context_too_long: 502,
  iterations_exhausted: 500,
  time_exhausted: 500,
  completion_missing: 500,
  completion_partial: 500,
  completion_blocked: 500,
  budget_exhausted: 409,
  tool_failed: 500,
  cancelled: 409,
  lost_ownership: 409,
  internal: 500,
};

interface ProblemResponse {
  status: number;
  headers: Record<string, string>;
  body: Problem;
}

/** An error as RFC 9457 problem details, with the headers that its status asks for. */
export function toProblem(error: AppError, requestId: string): ProblemResponse {
  const status = statusOfCode[error.code];
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (status === 429 || status === 503) {
    headers['retry-after'] = String(error.details.retry_after_seconds ?? 1);
  }
  // What is left of the body is not waited for, so the connection is of no further use.
  if (status === 413) headers.connection = 'close';
  if (typeof error.details.allow === 'string') headers.allow = error.details.allow;
  const errors = Array.isArray(error.details.errors) ? { errors: error.details.errors } : {};
  // What stands in the way of a change, so that a client can decide without asking again.
  const hasDetails = status === 409 && Object.keys(error.details).length > 0;
  const details = hasDetails ? { details: error.details as Problem['details'] } : {};
  const title = error.code.replaceAll('_', ' ');
  const body = {
    type: 'about:blank',
    title: `${title.charAt(0).toUpperCase()}${title.slice(1)}`,
    status,
    code: error.code,
    detail: error.message,
    request_id: requestId,
    ...errors,
    ...details,
  };
  return { status, headers, body };
}

/** A refusal of one field. */
export function invalidField(path: string, message: string): AppError {
  return new AppError('invalid_request', `The request is not valid: ${path} ${message}.`, {
    details: { errors: [{ path, message }] },
  });
}
