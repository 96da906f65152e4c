import { isTerminalTask } from '@loom/shared/statuses';
import type { StopMode, SubtaskState } from '@loom/shared/task-state';
import { addError, type Draft, subtaskEvent, taskEvent } from '../draft.ts';
import { finishTask, settleTask } from '../settle-task.ts';
import { askPlanner, awaitsPlan } from './plan.ts';

/** Someone wants the task to stop. Asking twice, or after the end, changes nothing. */
export function requestStop(draft: Draft, mode: StopMode, by: string): void {
  const { state } = draft;
  const stronger = state.cancel_mode === 'cancel' && mode === 'abort';
  if (isTerminalTask(state.status) || (state.cancel_mode !== null && !stronger)) return;
  state.cancel_mode = mode;
  taskEvent(draft, 'task.cancel_requested', { mode, by });
  taskEvent(draft, 'task.cancel_ack', { mode });
  // While attempts wrap up nothing is withdrawn: one of them may have lost its runner, and its unit
  // then waits for the next.
  settleTask(draft);
}

/** Someone wants what failed to run again. What is finished stays finished; a stop is not undone half-way. */
export function requestRetry(draft: Draft, by: string, subtaskId: string | null): void {
  const { state } = draft;
  const ended = isTerminalTask(state.status);
  if (state.cancel_mode !== null && !ended) return;
  if (state.plan_version === 0) {
    if (!ended || subtaskId !== null) return;
    reopen(draft, by, []);
    askPlanner(draft);
    return;
  }
  const failed = state.subtasks.filter(
    ({ id, status }) => status === 'failed' && (subtaskId === null || id === subtaskId),
  );
  const stopped = state.status === 'cancelled' && subtaskId === null;
  if (failed.length === 0 && !stopped) return;
  const again = [...failed, ...freedBy(failed, state.subtasks)];
  reopen(draft, by, failed);
  for (const subtask of again) {
    subtask.status = 'pending';
    subtask.attempts_forgiven = subtask.attempts;
    subtask.verification = 'unverified';
    subtaskEvent(draft, 'subtask.retrying', subtask, {
      code: 'retry_requested',
      feedback: subtask.feedback,
      next_attempt: subtask.attempts + 1,
    });
  }
  settleTask(draft);
}

/** A planner that kept dying ends the task. */
export function buryPlan(draft: Draft, reason: string): void {
  if (!awaitsPlan(draft.state)) return;
  addError(draft, { code: 'dead_letter', message: reason });
  finishTask(draft, 'failed');
}

// A critical failure that stays keeps the rest skipped: only what was named runs again.
function freedBy(retried: SubtaskState[], subtasks: SubtaskState[]): SubtaskState[] {
  const stillBroken = subtasks.some(
    (one) => one.status === 'failed' && one.spec.is_critical_path && !retried.includes(one),
  );
  if (stillBroken) return [];
  return subtasks.filter(({ status }) => status === 'blocked' || status === 'skipped');
}

function reopen(draft: Draft, by: string, retried: SubtaskState[]): void {
  const { state } = draft;
  const planned = state.plan_version > 0;
  state.status = planned ? 'running' : 'queued';
  state.cancel_mode = null;
  state.verification = 'unverified';
  state.errors = state.errors.filter(
    ({ subtask_id }) => planned && !retried.some(({ id }) => id === subtask_id),
  );
  state.summary = null;
  taskEvent(draft, 'task.retried', { by, status: state.status });
}
