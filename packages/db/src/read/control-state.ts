import type { SubtaskStatus, TaskStatus } from '@loom/shared/statuses';
import type { StopMode } from '@loom/shared/task-state';
import type { Database } from '../database.ts';

/** What can be asked of a task depends on this much of it. */
export interface ControlState {
  status: TaskStatus;
  plan_version: number;
  cancel_mode: StopMode | null;
  paused: boolean;
  subtasks: { id: string; status: SubtaskStatus; held: boolean }[];
}

/** Where a task and its subtasks stand, without their inside; null when the tenant has no such task. */
export async function getControlState(
  db: Database,
  params: { tenant_id: string; task_id: string },
): Promise<ControlState | null> {
  const { rows } = await db.pool.query<ControlState>(
    `SELECT t.status, t.plan_version, t.cancel_mode,
       t.status = 'paused' OR COALESCE(jsonb_typeof(t.course -> 'paused') = 'object', false)
         AS paused,
       COALESCE((
         SELECT jsonb_agg(jsonb_build_object('id', s.id, 'status', s.status,
           'held', COALESCE((s.trail -> 'held')::boolean, false)) ORDER BY s.position, s.id)
         FROM subtasks s WHERE s.task_id = t.id AND s.tenant_id = t.tenant_id), '[]') AS subtasks
     FROM tasks t WHERE t.id = $1 AND t.tenant_id = $2`,
    [params.task_id, params.tenant_id],
  );
  return rows[0] ?? null;
}
