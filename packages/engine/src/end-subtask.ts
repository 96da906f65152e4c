import type { Failure } from '@loom/shared/api';
import type { SubtaskState } from '@loom/shared/task-state';
import { dropApprovals } from './approvals.ts';
import { callOffReplan } from './decisions/replan.ts';
import { addError, type Draft, setTrail, subtaskEvent } from './draft.ts';
import { endItem, openItem } from './remediation.ts';

/** Ends a subtask that will not complete. */
export function endSubtask(
  draft: Draft,
  subtask: SubtaskState,
  status: 'failed' | 'skipped' | 'blocked',
  failure: Failure,
): void {
  dropApprovals(draft, subtask.id, `the subtask was ${status}`);
  const item = openItem(draft, subtask);
  if (item !== null) endItem(draft, subtask, item, 'failed', `the subtask was ${status}`);
  if (item !== null && !item.blocking) {
    // Only its follow-up ends here: the result itself had been accepted.
    subtask.status = 'completed';
    return;
  }
  subtask.status = status;
  subtask.error = failure;
  setTrail(subtask, { not_before: null, superseded: false, held: false });
  subtaskEvent(draft, `subtask.${status}`, subtask, {
    code: failure.code,
    reason: failure.message,
    verification: subtask.verification,
  });
  if (status !== 'failed') return;
  addError(draft, { ...failure, subtask_id: subtask.id });
  if (!subtask.spec.is_critical_path) return;
  callOffReplan(draft, subtask.id);
  for (const other of draft.state.subtasks) {
    if (other.status !== 'pending') continue;
    endSubtask(draft, other, 'skipped', {
      code: 'critical_path_failed',
      message: `the critical subtask ${subtask.id} failed`,
    });
  }
}
