import type { UnitWork } from '@loom/runtime/unit-context';
import type { ClaimedUnit, WorkSigns } from '@loom/shared/work';

/** How a verification ends that someone stopped or paused; null when it may go on. */
export function earlyEnd(
  unit: ClaimedUnit,
  { stopping, pausing }: Pick<WorkSigns, 'stopping' | 'pausing'>,
): UnitWork | null {
  if (stopping) return { input: { kind: 'attempt_cancelled', ...attemptOf(unit) } };
  return pausing ? { park: { reason: 'pause', seconds: null } } : null;
}

/** The attempt that a verification is about. */
export function attemptOf({ subtask_id, attempt }: ClaimedUnit) {
  return { subtask_id: subtask_id ?? '', attempt: attempt ?? 0 };
}
