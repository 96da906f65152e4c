import { AppError } from '@loom/shared/app-error';

/** The refusal of a revert, with what stands in the way of each file. */
export function revertConflict(errors: { path: string; message: string }[]): AppError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const why = first === undefined ? '' : ` ${first.path}: ${first.message}${more}.`;
  return new AppError('revert_conflict', `Nothing was reverted.${why}`, { details: { errors } });
}
