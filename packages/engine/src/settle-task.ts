import type { Failure } from '@loom/shared/api';
import { isActiveSubtask, isTerminalTask } from '@loom/shared/statuses';
import type { SubtaskState } from '@loom/shared/task-state';
import { addError, type Draft, subtaskEvent, taskEvent } from './draft.ts';
import { pickStartable, unreachableSubtasks } from './ready-subtasks.ts';
import { tierForAttempt } from './retry-ladder.ts';
import { summariseTask } from './summarise-task.ts';
import { verificationOfTask } from './task-verification.ts';

/** Deferrals after which a subtask is said to starve. */
const starvationDeferrals = 3;

/** Brings a planned task to rest: starts what can start, blocks what cannot, ends what is over. */
export function settleTask(draft: Draft): void {
  const { state } = draft;
  if (isTerminalTask(state.status)) return;
  if (state.cancel_mode !== null) {
    settleStopped(draft);
    return;
  }
  if (state.plan_version === 0) return;
  for (const { subtask, reason } of unreachableSubtasks(state.subtasks)) {
    endSubtask(draft, subtask, 'blocked', { code: 'blocked', message: reason });
  }
  startReady(draft);
  if (!state.subtasks.some(({ status }) => isActiveSubtask(status) || status === 'pending')) {
    const allCompleted = state.subtasks.every(({ status }) => status === 'completed');
    finishTask(draft, allCompleted ? 'completed' : 'failed');
  }
}

function settleStopped(draft: Draft): void {
  const { state } = draft;
  for (const subtask of state.subtasks) {
    const atWork = subtask.status === 'running' && state.cancel_mode === 'cancel';
    if (subtask.status === 'pending' || (isActiveSubtask(subtask.status) && !atWork)) {
      endSubtask(draft, subtask, 'skipped', { code: 'cancelled', message: 'the task was stopped' });
    }
  }
  if (!state.subtasks.some(({ status }) => isActiveSubtask(status))) finishTask(draft, 'cancelled');
}

function startReady(draft: Draft): void {
  const { start, deferred } = pickStartable(draft.state.subtasks, draft.state.max_parallel);
  for (const subtask of deferred) {
    subtask.deferrals += 1;
    if (subtask.deferrals === starvationDeferrals) {
      subtaskEvent(draft, 'subtask.starved', subtask, { deferrals: subtask.deferrals });
    }
  }
  for (const subtask of start) startAttempt(draft, subtask);
}

function startAttempt(draft: Draft, subtask: SubtaskState): void {
  const index = subtask.attempts - subtask.attempts_forgiven;
  const tier = tierForAttempt(subtask.spec.model_tier, index);
  subtask.attempts += 1;
  subtask.status = 'queued';
  draft.units.push({
    queue: 'subtasks',
    subtask_id: subtask.id,
    attempt: subtask.attempts,
    tier,
  });
  subtaskEvent(draft, 'subtask.queued', subtask, { tier });
}

/** Ends a subtask that will not complete. */
export function endSubtask(
  draft: Draft,
  subtask: SubtaskState,
  status: 'failed' | 'skipped' | 'blocked',
  failure: Failure,
): void {
  subtask.status = status;
  subtask.error = failure;
  subtaskEvent(draft, `subtask.${status}`, subtask, {
    code: failure.code,
    reason: failure.message,
    verification: subtask.verification,
  });
  if (status !== 'failed') return;
  addError(draft, { ...failure, subtask_id: subtask.id });
  if (!subtask.spec.is_critical_path) return;
  for (const other of draft.state.subtasks) {
    if (other.status !== 'pending') continue;
    endSubtask(draft, other, 'skipped', {
      code: 'critical_path_failed',
      message: `the critical subtask ${subtask.id} failed`,
    });
  }
}

/** Ends a task; its last event carries everything a reader of the log needs. */
export function finishTask(draft: Draft, status: 'completed' | 'failed' | 'cancelled'): void {
  const { state } = draft;
  state.status = status;
  state.verification = verificationOfTask(state.subtasks);
  state.summary = summariseTask(state);
  // Whoever is still at work has his writes refused from here on: nothing follows the last event.
  draft.withdraw = 'all';
  taskEvent(draft, `task.${status}`, {
    verification: state.verification,
    summary: state.summary,
    files_changed: state.files_changed,
    errors: state.errors,
  });
}
