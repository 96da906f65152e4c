import { UnitYield } from '@loom/runtime/unit-yield';
import { AppError, errorMessage } from '@loom/shared/app-error';

/** A failed model call as a failure of the unit; an aborted one gives the unit back instead. */
export function modelFailure(error: unknown, abort: AbortSignal): AppError {
  if (abort.aborted) throw new UnitYield('aborted during a model call');
  if (error instanceof AppError) return error;
  return new AppError('model_unavailable', errorMessage(error), { cause: error });
}

/** Whether the model is only away for a while: the unit waits for it instead of failing. */
export function isModelAway({ code, retryable }: AppError): boolean {
  return retryable && (code === 'model_rate_limited' || code === 'model_unavailable');
}
