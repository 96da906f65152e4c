import type { Task } from '@loom/shared/api';
import { AppError } from '@loom/shared/app-error';
import { notFound } from './route.ts';

/** Refuses a retry that would change nothing, and says why. */
export function requireRetryable(task: Task, subtaskId: string | null): void {
  if (subtaskId !== null) {
    const subtask = task.subtasks.find(({ id }) => id === subtaskId);
    if (subtask === undefined) throw notFound('subtask');
    if (subtask.status === 'failed') return;
    throw new AppError(
      'conflict',
      `The subtask is ${subtask.status}; only a failed one runs again.`,
    );
  }
  const hasFailed = task.subtasks.some(({ status }) => status === 'failed');
  if (hasFailed || task.status === 'failed' || task.status === 'cancelled') return;
  throw new AppError('conflict', `The task is ${task.status} and nothing in it has failed.`);
}
