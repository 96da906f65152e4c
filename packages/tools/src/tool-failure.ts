import { AppError, type ErrorCode, errorMessage } from '@loom/shared/app-error';
import { firstLine } from '@loom/shared/text';
import type { ToolResult } from '@loom/shared/tool';

type Failure = Extract<ToolResult, { ok: false }>;

const resultCodes: Partial<Record<ErrorCode, Failure['error_code']>> = {
  invalid_request: 'invalid_arguments',
  time_exhausted: 'timeout',
  cancelled: 'cancelled',
};

/** The answer to a call that was stopped from outside. */
export function stoppedResult(
  name: string,
  stoppedBy: 'timeout' | 'caller',
  timeout_ms: number,
): Failure {
  if (stoppedBy === 'caller') {
    return {
      ok: false,
      error_code: 'cancelled',
      text: `${name} was cancelled before it finished.`,
    };
  }
  const text = `${name} did not finish within ${timeout_ms / 1_000} s and was stopped; ask for less in one call.`;
  return { ok: false, error_code: 'timeout', text };
}

/** The answer to a call whose tool threw: its own sentence if it has one, never a stack. */
export function thrownResult(name: string, error: unknown): Failure {
  if (error instanceof AppError) {
    const error_code = resultCodes[error.code] ?? 'failed';
    return { ok: false, error_code, text: `${name}: ${error.message}` };
  }
  const reason = firstLine(errorMessage(error), 300) || 'no reason given';
  const text = `${name} failed: ${reason}. Try another way, or change the arguments.`;
  return { ok: false, error_code: 'failed', text };
}
