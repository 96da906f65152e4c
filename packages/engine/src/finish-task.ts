import { dropApprovals } from './approvals.ts';
import { addError, type Draft, setCourse, taskEvent } from './draft.ts';
import { endItem, openItem } from './remediation.ts';
import { summariseTask } from './summarise-task.ts';
import { verificationOfTask } from './task-verification.ts';

/** Ends a task; its last event carries everything a reader of the log needs. */
export function finishTask(draft: Draft, status: 'completed' | 'failed' | 'cancelled'): void {
  const { state } = draft;
  dropApprovals(draft, null, 'the task ended');
  for (const subtask of state.subtasks) {
    const item = openItem(draft, subtask);
    if (item !== null) endItem(draft, subtask, item, 'expired', 'the task ended');
  }
  setCourse(draft, { paused: null, replan: null, holds: {}, deadline: null });
  if (status === 'failed' && state.errors.length === 0) nameUnfinished(draft);
  state.status = status;
  state.verification = verificationOfTask(state.subtasks);
  state.summary = summariseTask(state);
  // What was to begin a moment ago does not.
  draft.units = [];
  // Whoever is still at work has his writes refused from here on: nothing follows the last event.
  draft.withdraw = 'all';
  taskEvent(draft, `task.${status}`, {
    verification: state.verification,
    summary: state.summary,
    files_changed: state.files_changed,
    errors: state.errors,
    run: {
      ...state.spent,
      plan_version: state.plan_version,
      replans: state.course.replans,
      remediation_attempts: state.course.remediation_attempts,
      attempts: state.subtasks.reduce((sum, { attempts }) => sum + attempts, 0),
      actions: state.course.actions,
    },
  });
}

/** A task may fail without anything in it having failed: then what was left out is the reason. */
function nameUnfinished(draft: Draft): void {
  for (const { id, status, error } of draft.state.subtasks) {
    if (status === 'completed' || error === null) continue;
    addError(draft, { code: error.code, message: `${id}: ${error.message}`, subtask_id: id });
  }
}
