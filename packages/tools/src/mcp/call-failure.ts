import { AppError, errorMessage } from '@loom/shared/app-error';
import { firstLine } from '@loom/shared/text';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { cleanText } from './clean-text.ts';
import type { Redact } from './redact-secrets.ts';

/** Whether a failure says that the server is away or broken, rather than that it refused something. */
export function isServerFailure(error: unknown): boolean {
  return error instanceof AppError && ['unavailable', 'time_exhausted'].includes(error.code);
}

/** Whether a server at a URL has forgotten us, and so has done nothing with the request. */
export function isForgotten(error: unknown): boolean {
  return error instanceof SdkHttpError && error.data.status === 404;
}

/** Whatever went wrong with a call, as a sentence for the model and a code for the breaker. */
export function callFailure(
  error: unknown,
  call: { server: string; redact: Redact; timeout_seconds: number; signal: AbortSignal },
): AppError {
  const { server, redact, timeout_seconds, signal } = call;
  if (signal.aborted) return new AppError('cancelled', 'the call was cancelled');
  if (error instanceof AppError && error.code !== 'payload_too_large') return error;
  const said = firstLine(redact(cleanText(errorMessage(error))), 500) || 'no reason given';
  if (error instanceof ProtocolError) {
    return new AppError('tool_failed', `the server refused the call: ${said}`);
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    const text = `the server ${server} gave no answer within ${timeout_seconds} s. The call may have had an effect: look before you repeat it.`;
    return new AppError('time_exhausted', text);
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult) {
    return new AppError('tool_failed', `the server ${server} gave an answer that makes no sense`);
  }
  const text = `the server ${server} broke off: ${said}. The call may have had an effect: look before you repeat it.`;
  return new AppError('unavailable', text, { retryable: true });
}
