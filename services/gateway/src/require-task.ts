import type { Database } from '@loom/db/database';
import { getTask } from '@loom/db/read/tasks';
import type { Task } from '@loom/shared/api';
import { notFound } from './route.ts';

/** A task as the contract shows it, or a 404. */
export async function requireTask(
  db: Database,
  { tenant_id }: { tenant_id: string },
  taskId: string,
): Promise<Task> {
  const task = await getTask(db, { tenant_id, task_id: taskId });
  if (task === null) throw notFound('task');
  return task;
}
