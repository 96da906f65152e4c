import type { ChangingTask } from '@loom/db/file-changes/load-changing-task';
import { isTerminalSubtask, isTerminalTask } from '@loom/shared/statuses';

/** Why changes cannot be undone yet; null when the work that made them is over. */
export function stillRunning(task: ChangingTask, subtaskId: string | undefined): string | null {
  if (isTerminalTask(task.status)) return null;
  if (subtaskId === undefined) return `the task is not over: it is ${task.status}`;
  const subtask = task.subtasks.find(({ id }) => id === subtaskId);
  if (subtask === undefined || isTerminalSubtask(subtask.status)) return null;
  return `the subtask is not over: it is ${subtask.status}`;
}
