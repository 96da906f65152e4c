import type { Guidance } from '@loom/shared/task-state';
import type { ClaimedUnit } from '@loom/shared/work';
import { createBatchedLoad } from './batch-loads.ts';
import type { Database } from './database.ts';

type GuidedUnit = Pick<ClaimedUnit, 'task_id' | 'tenant_id' | 'subtask_id'>;

const loaders = new WeakMap<Database, (unit: GuidedUnit) => Promise<Guidance[]>>();

/** Everything people have said to a unit's subtask up to now, oldest first. */
export function loadGuidance(db: Database, unit: GuidedUnit): Promise<Guidance[]> {
  const load = loaders.get(db) ?? createBatchedLoad((units) => loadAll(db, units));
  loaders.set(db, load);
  return load(unit);
}

async function loadAll(db: Database, units: GuidedUnit[]): Promise<Guidance[][]> {
  const { rows } = await db.pool.query<{ id: string; tenant_id: string; guidance: Guidance[] }>({
    name: 'load-guidance',
    text: `SELECT id, tenant_id, course->'guidance' AS guidance FROM tasks
      WHERE id = ANY($1) AND course->'guidance' IS NOT NULL`,
    values: [[...new Set(units.map(({ task_id }) => task_id))]],
  });
  return units.map((unit) => {
    const task = rows.find(
      ({ id, tenant_id }) => id === unit.task_id && tenant_id === unit.tenant_id,
    );
    return (task?.guidance ?? []).filter(
      ({ subtask_id }) => subtask_id === null || subtask_id === unit.subtask_id,
    );
  });
}
