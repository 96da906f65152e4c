import type { Task } from '@loom/shared/api';

/** How a task ended, for people: the engine's own summary, or its bare status without one. */
export function renderTaskResult(
  task: Pick<Task, 'id' | 'status' | 'verification' | 'summary'>,
): string {
  const verification = task.verification.replaceAll('_', ' ');
  return task.summary ?? `Task ${task.id}: ${task.status}, ${verification}`;
}
