import type { Problem } from '@loom/shared/api';
import { AppError, type ErrorCode, errorCodes } from '@loom/shared/app-error';

interface RequestOptions {
  body?: unknown;
  idempotency_key?: string;
  signal?: AbortSignal;
}

/**
 * Calls the gateway and gives back its JSON; any refusal is an AppError with the problem's words.
 * Answers are trusted as typed: they come from the gateway that serves this page, and a page that
 * refuses a field it does not know yet would break on every addition.
 */
export async function request<T>(
  method: 'GET' | 'POST',
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  if (options.idempotency_key) headers['idempotency-key'] = options.idempotency_key;
  const response = await fetch(path, {
    method,
    headers,
    body: options.body === undefined ? undefined : JSON.stringify(options.body),
    signal: options.signal,
  }).catch((cause: unknown) => {
    if (options.signal?.aborted) throw cause;
    throw new AppError('unavailable', 'Loom does not answer. Is it still running?', {
      retryable: true,
      cause,
    });
  });
  const text = await response.text();
  if (!response.ok) throw await refusal(response.status, text);
  return (text === '' ? null : JSON.parse(text)) as T;
}

function refusal(status: number, text: string): AppError {
  const problem = readProblem(text);
  const fallback: ErrorCode =
    status === 401 ? 'unauthenticated' : status === 404 ? 'not_found' : 'internal';
  const code = errorCodes.find((known) => known === problem?.code) ?? fallback;
  const details = (problem?.errors ?? [])
    .map((error) => ('path' in error ? `${error.path}: ${error.message}` : error.message))
    .join('; ');
  const sentence = problem?.detail ?? `The gateway answered with status ${status}.`;
  return new AppError(code, details === '' ? sentence : `${sentence} (${details})`, {
    details: { ...problem?.details, sentence, errors: problem?.errors ?? [] },
  });
}

function readProblem(text: string): Partial<Problem> | null {
  try {
    return JSON.parse(text) as Partial<Problem>;
  } catch {
    return null;
  }
}
