import type { Database } from './database.ts';

/** A tenant's unit by its id, as an operator asks for it. */
export async function findUnit(
  db: Database,
  params: { tenant_id: string; id: string },
): Promise<{ status: string; task_id: string | null; subtask_id: string | null } | null> {
  const { rows } = await db.pool.query<{
    status: string;
    task_id: string | null;
    subtask_id: string | null;
  }>('SELECT status, task_id, subtask_id FROM units WHERE id = $1 AND tenant_id = $2', [
    params.id,
    params.tenant_id,
  ]);
  return rows[0] ?? null;
}
