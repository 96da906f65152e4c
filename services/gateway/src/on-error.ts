import { AppError } from '@loom/shared/app-error';
import type { Logger } from '@loom/shared/logger';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { ZodError } from 'zod';
import { isDependencyDown } from './dependency-down.ts';
import type { GatewayEnv } from './gateway-deps.ts';
import { toProblem } from './problem.ts';

/** The one translator of errors to HTTP: what is not ours to explain is logged and told as `internal`. */
export function createOnError(logger: Logger) {
  return (error: Error, c: Context<GatewayEnv>): Response => {
    const requestId = c.get('request_id') ?? '';
    const known = toAppError(error);
    if (known.code === 'internal' || known.code === 'unavailable') {
      const request = { request_id: requestId, method: c.req.method, path: c.req.path };
      logger.error({ err: error, ...request }, 'request failed');
    }
    const { status, headers, body } = toProblem(known, requestId);
    return new Response(JSON.stringify(body), {
      status,
      headers: {
        ...headers,
        'content-type': 'application/problem+json',
        'cache-control': 'no-store',
      },
    });
  };
}

/** Any thrown thing as an AppError; no text of an unexpected one reaches the client. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof ZodError) return invalidRequest(error);
  if (error instanceof HTTPException && error.status < 500) return fromHttpException(error);
  if (isDependencyDown(error)) {
    return new AppError('unavailable', 'A part of the service cannot be reached. Try again.', {
      retryable: true,
      cause: error,
    });
  }
  return new AppError('internal', 'Something went wrong on our side. It has been logged.', {
    cause: error,
  });
}

/** What a schema refused, field by field. */
export function invalidRequest(error: ZodError, prefix: string[] = []): AppError {
  const errors = error.issues.map((issue) => ({
    path: [...prefix, ...issue.path.map(String)].join('.'),
    message: issue.message,
  }));
  const first = errors[0];
  const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new AppError(
    'invalid_request',
    `The request is not valid. ${where}${first?.message ?? ''}${more}`,
    { details: { errors } },
  );
}

function fromHttpException(error: HTTPException): AppError {
  switch (error.status) {
    case 403:
      return new AppError('forbidden', error.message || 'This is not allowed.');
    case 404:
      return new AppError('not_found', 'There is nothing at this address.');
    case 413:
      return new AppError('payload_too_large', 'The request body is too large.');
    case 415:
      return new AppError('unsupported_media_type', 'Send JSON.');
    default:
      return new AppError('malformed_request', error.message || 'The request is malformed.');
  }
}
