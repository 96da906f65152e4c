import { isTerminalTask } from '@loom/shared/statuses';
import type { StopMode } from '@loom/shared/task-state';
import { addError, type Draft, subtaskEvent, taskEvent } from '../draft.ts';
import { finishTask, settleTask } from '../settle-task.ts';
import { askPlanner } from './plan.ts';

/** Someone wants the task to stop. Asking twice, or after the end, changes nothing. */
export function requestStop(draft: Draft, mode: StopMode, by: string): void {
  const { state } = draft;
  const stronger = state.cancel_mode === 'cancel' && mode === 'abort';
  if (isTerminalTask(state.status) || (state.cancel_mode !== null && !stronger)) return;
  state.cancel_mode = mode;
  taskEvent(draft, 'task.cancel_requested', { mode, by });
  taskEvent(draft, 'task.cancel_ack', { mode });
  draft.withdraw = mode === 'abort' ? 'all' : 'waiting';
  settleTask(draft);
}

/** Someone wants what failed to run again. What is finished stays finished. */
export function requestRetry(draft: Draft, by: string, subtaskId: string | null): void {
  const { state } = draft;
  if (state.plan_version === 0) {
    if (!isTerminalTask(state.status)) return;
    reopen(draft, by);
    state.status = 'queued';
    askPlanner(draft);
    return;
  }
  const failed = state.subtasks.filter(
    ({ id, status }) => status === 'failed' && (subtaskId === null || id === subtaskId),
  );
  const stopped = state.status === 'cancelled' && subtaskId === null;
  if (failed.length === 0 && !stopped) return;
  const freed = state.subtasks.filter(({ status }) => status === 'blocked' || status === 'skipped');
  reopen(draft, by);
  for (const subtask of [...failed, ...freed]) {
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
  if (draft.state.plan_version > 0 || isTerminalTask(draft.state.status)) return;
  if (draft.state.cancel_mode !== null) {
    settleTask(draft);
    return;
  }
  addError(draft, { code: 'dead_letter', message: reason });
  finishTask(draft, 'failed');
}

function reopen(draft: Draft, by: string): void {
  const { state } = draft;
  state.status = 'running';
  state.cancel_mode = null;
  state.verification = 'unverified';
  state.errors = [];
  state.summary = null;
  taskEvent(draft, 'task.retried', { by, status: state.plan_version === 0 ? 'queued' : 'running' });
}
