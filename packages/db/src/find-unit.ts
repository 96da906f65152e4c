import type { Database } from './database.ts';
import type { Transaction } from './transaction.ts';

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

/** Takes a unit off the dead letters, since something new was started for it; false when it is not dead. */
export async function closeDeadUnit(client: Transaction, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `UPDATE units SET status = 'withdrawn', updated_at = now() WHERE id = $1 AND status = 'dead'`,
    [id],
  );
  return rowCount === 1;
}
