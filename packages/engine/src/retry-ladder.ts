import type { SubtaskState } from '@loom/shared/task-state';

/** The largest models there are. */
export const highestTier = 3;

/** The model tier of an attempt: twice the planned one, then one higher, then the highest. */
export function tierForAttempt(plannedTier: number, attemptIndex: number): number {
  if (attemptIndex <= 1) return plannedTier;
  if (attemptIndex === 2) return Math.min(plannedTier + 1, highestTier);
  return highestTier;
}

/** `max_retries: 3` means up to four attempts, counted since the last manual retry. */
export function hasRetryLeft(subtask: SubtaskState): boolean {
  return subtask.attempts - subtask.attempts_forgiven <= subtask.spec.max_retries;
}
