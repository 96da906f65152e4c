import type { ControlState } from '@loom/db/read/control-state';
import { AppError } from '@loom/shared/app-error';
import { isTerminalSubtask, isTerminalTask, type SubtaskStatus } from '@loom/shared/statuses';
import { notFound } from './route.ts';

const retryable: readonly SubtaskStatus[] = ['failed', 'skipped', 'blocked'];

/** Refuses to steer, pause or skip what has ended or is about to; `subtaskId` narrows it to one subtask. */
export function requireOpen(task: ControlState, subtaskId: string | null): void {
  const subtask = subtaskId === null ? null : findSubtask(task, subtaskId);
  if (isTerminalTask(task.status)) {
    throw new AppError('already_ended', `The task is ${task.status} already.`, {
      details: { status: task.status },
    });
  }
  if (task.cancel_mode !== null) throw stopping(task);
  if (subtask !== null && isTerminalSubtask(subtask.status)) {
    throw new AppError('already_ended', `The subtask is ${subtask.status} already.`, {
      details: { subtask_id: subtask.id, status: subtask.status },
    });
  }
}

/** Refuses to resume what nobody paused. */
export function requirePaused(task: ControlState, subtaskId: string | null): void {
  requireOpen(task, subtaskId);
  if (subtaskId === null) {
    const { status } = task;
    if (!task.paused) throw conflict(`The task is ${status}, not paused.`, { status });
    return;
  }
  const { id, status, held } = findSubtask(task, subtaskId);
  if (held) return;
  throw conflict(`The subtask is ${status}; nobody paused it.`, { subtask_id: id, status });
}

/** Refuses to look again at a plan that is not there yet. */
export function requirePlanned(task: ControlState): void {
  requireOpen(task, null);
  const { status, plan_version } = task;
  if (plan_version > 0) return;
  throw conflict(`The task is ${status} and has no plan yet.`, { status });
}

/** Refuses a retry that would change nothing, and says why. */
export function requireRetryable(task: ControlState, subtaskId: string | null): void {
  if (task.cancel_mode !== null && !isTerminalTask(task.status)) throw stopping(task);
  if (subtaskId !== null) {
    const { id, status } = findSubtask(task, subtaskId);
    if (retryable.includes(status)) return;
    const message = `The subtask is ${status}; only one that failed or was left out runs again.`;
    throw conflict(message, { subtask_id: id, status });
  }
  const { status, subtasks } = task;
  const hasFailed = subtasks.some((subtask) => subtask.status === 'failed');
  if (hasFailed || status === 'failed' || status === 'cancelled') return;
  throw conflict(`The task is ${status} and nothing in it has failed.`, { status });
}

function findSubtask(task: ControlState, id: string): ControlState['subtasks'][number] {
  const subtask = task.subtasks.find((one) => one.id === id);
  if (subtask === undefined) throw notFound('subtask');
  return subtask;
}

function stopping({ status, cancel_mode }: ControlState): AppError {
  return conflict('The task is being stopped.', { status, stopping: cancel_mode ?? '' });
}

function conflict(message: string, details: Record<string, string>): AppError {
  return new AppError('conflict', message, { details });
}
