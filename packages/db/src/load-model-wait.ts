import type { ModelRole } from '@loom/shared/chat';
import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from './database.ts';

/**
 * Seconds that an attempt has waited for a model of this role so far. A unit's parked time also
 * holds pauses and approvals, which say nothing of the model; the log knows them apart.
 */
export async function loadModelWait(
  db: Database,
  unit: Pick<ClaimedUnit, 'task_id' | 'tenant_id' | 'subtask_id' | 'attempt'>,
  role: ModelRole,
): Promise<number> {
  const { rows } = await db.pool.query<{ seconds: number }>({
    name: 'load-model-wait',
    text: `SELECT coalesce(sum((data->>'seconds')::float8), 0) AS seconds FROM events
      WHERE task_id = $1 AND tenant_id = $2 AND type = 'model.parked' AND data->>'role' = $3
        AND subtask_id IS NOT DISTINCT FROM $4 AND attempt = $5`,
    values: [unit.task_id, unit.tenant_id, role, unit.subtask_id, unit.attempt],
  });
  return rows[0]?.seconds ?? 0;
}
