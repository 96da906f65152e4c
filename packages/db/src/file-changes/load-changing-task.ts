import type { SubtaskStatus, TaskStatus } from '@loom/shared/statuses';
import type pg from 'pg';

/** As much of a task as its file changes have to do with. */
export interface ChangingTask {
  id: string;
  tenant_id: string;
  status: TaskStatus;
  session_id: string | null;
  workspace: string | null;
  subtasks: { id: string; status: SubtaskStatus }[];
}

/** Null when the tenant has no such task. */
export async function loadChangingTask(
  client: pg.ClientBase | pg.Pool,
  { tenant_id, task_id }: { tenant_id: string; task_id: string },
): Promise<ChangingTask | null> {
  const { rows } = await client.query<ChangingTask>({
    name: 'load-changing-task',
    text: `SELECT t.id, t.tenant_id, t.status, t.session_id, t.workspace,
        COALESCE((SELECT jsonb_agg(jsonb_build_object('id', s.id, 'status', s.status))
          FROM subtasks s WHERE s.task_id = t.id), '[]') AS subtasks
      FROM tasks t WHERE t.id = $1 AND t.tenant_id = $2`,
    values: [task_id, tenant_id],
  });
  return rows[0] ?? null;
}
