import { isActiveSubtask, isTerminalTask } from '@loom/shared/statuses';
import type { StopMode, SubtaskState, TaskInput } from '@loom/shared/task-state';
import { dropApprovals } from '../approvals.ts';
import { type Draft, findSubtask, setCourse, taskEvent } from '../draft.ts';
import { endSubtask } from '../end-subtask.ts';
import { nameStatus } from '../task-status.ts';
import { startClock } from './budget.ts';
import { endPause } from './pause.ts';
import { askPlanner } from './plan.ts';
import { reopenSubtask, requestReplan, withdrawSubtask } from './replan.ts';

/** Someone wants the task to stop. Asking twice, or after the end, changes nothing. */
export function requestStop(draft: Draft, mode: StopMode, by: string): void {
  const { state } = draft;
  const stronger = state.cancel_mode === 'cancel' && mode === 'abort';
  if (isTerminalTask(state.status) || (state.cancel_mode !== null && !stronger)) return;
  state.cancel_mode = mode;
  taskEvent(draft, 'task.cancel_requested', { mode, by });
  taskEvent(draft, 'task.cancel_ack', { mode });
  dropApprovals(draft, null, 'the task was stopped');
  if (state.course.paused !== null) endPause(draft, by);
  // Attempts that are parked have nobody who could wrap them up: they are woken for it.
  const running = state.subtasks.filter(({ status }) => status === 'running');
  draft.wake.attempts.push(
    ...running.map(({ id, attempts }) => ({ subtask_id: id, attempt: attempts })),
  );
  // While attempts wrap up nothing is withdrawn: one of them may have lost its runner, and its unit
  // then waits for the next.
  draft.unsettled = true;
}

/** Someone does not want this one subtask. It ends at once; whoever is at it has his writes refused. */
export function skipSubtask(
  draft: Draft,
  { subtask_id, by }: Extract<TaskInput, { kind: 'subtask_stop_requested' }>,
): void {
  const { state } = draft;
  const subtask = findSubtask(draft, subtask_id);
  if (subtask === null || isTerminalTask(state.status) || state.cancel_mode !== null) return;
  if (subtask.status !== 'pending' && !isActiveSubtask(subtask.status)) return;
  if (isActiveSubtask(subtask.status)) withdrawSubtask(draft, subtask.id);
  const message = `${by} skipped it`;
  endSubtask(draft, subtask, 'skipped', { code: 'skipped_by_person', message });
  draft.unsettled = true;
}

/** Someone wants what failed to run again. What is finished stays finished; a stop is not undone half-way. */
export function requestRetry(
  draft: Draft,
  input: Extract<TaskInput, { kind: 'retry_requested' }>,
): void {
  const { state } = draft;
  const { by, subtask_id: subtaskId } = input;
  const ended = isTerminalTask(state.status);
  const winding = state.cancel_mode !== null || state.course.exhausted !== null;
  if (winding && !ended) return;
  if (state.plan_version === 0) {
    if (!ended || subtaskId !== null) return;
    reopenTask(draft, by);
    askPlanner(draft);
    return;
  }
  const failed = state.subtasks.filter(({ id, status }) =>
    subtaskId === null ? status === 'failed' : id === subtaskId && isRetryable(status),
  );
  const stopped = state.status !== 'completed' && ended && subtaskId === null;
  if (failed.length === 0 && !stopped) return;
  const again = [...failed, ...freedBy(failed, state.subtasks)];
  reopenTask(draft, by);
  draft.unsettled = true;
  for (const subtask of failed) editSpec(subtask, input);
  if (!input.reuse_plan && requestReplan(draft, 'requested', 'the task is to be tried again')) {
    return;
  }
  for (const subtask of new Set(again)) reopenSubtask(draft, subtask, 'retry_requested');
}

function isRetryable(status: SubtaskState['status']): boolean {
  return status === 'failed' || status === 'skipped' || status === 'blocked';
}

function editSpec(subtask: SubtaskState, change: { description?: string; model_tier?: number }) {
  const { description = subtask.spec.description, model_tier = subtask.spec.model_tier } = change;
  subtask.spec = { ...subtask.spec, description, model_tier };
}

// A critical failure that stays keeps the rest skipped: only what was named runs again.
function freedBy(retried: SubtaskState[], subtasks: SubtaskState[]): SubtaskState[] {
  const stillBroken = subtasks.some(
    (one) => one.status === 'failed' && one.spec.is_critical_path && !retried.includes(one),
  );
  if (stillBroken) return [];
  return subtasks.filter(
    ({ status, error }) =>
      (status === 'blocked' || status === 'skipped') && error?.code !== 'skipped_by_person',
  );
}

function reopenTask(draft: Draft, by: string): void {
  const { state } = draft;
  if (!isTerminalTask(state.status)) {
    // The rest goes on as it is, with its pauses and repairs.
    nameStatus(draft, 'task.retried', { by });
    return;
  }
  const planned = state.plan_version > 0;
  state.status = planned ? 'running' : 'queued';
  state.cancel_mode = null;
  state.verification = 'unverified';
  state.summary = null;
  state.errors = state.errors.filter(({ subtask_id }) => planned && subtask_id !== undefined);
  setCourse(draft, {
    exhausted: null,
    plan_is_final: false,
    stall_recoveries: 0,
    remediations: [],
  });
  startClock(draft);
  taskEvent(draft, 'task.retried', { by, status: state.status });
}
