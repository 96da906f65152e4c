import type { Guidance } from '@loom/shared/task-state';
import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from './database.ts';

/** Everything people have said to a unit's subtask up to now, oldest first. */
export async function loadGuidance(
  db: Database,
  unit: Pick<ClaimedUnit, 'task_id' | 'tenant_id' | 'subtask_id'>,
): Promise<Guidance[]> {
  const { rows } = await db.pool.query<{ guidance: Guidance[] | null }>({
    name: 'load-guidance',
    text: `SELECT course->'guidance' AS guidance FROM tasks WHERE id = $1 AND tenant_id = $2`,
    values: [unit.task_id, unit.tenant_id],
  });
  const all = rows[0]?.guidance ?? [];
  return all.filter(({ subtask_id }) => subtask_id === null || subtask_id === unit.subtask_id);
}
