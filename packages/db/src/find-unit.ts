import type { QueueName } from '@loom/shared/queues';
import type { Database } from './database.ts';
import type { Transaction } from './transaction.ts';

interface UnitInfo {
  tenant_id: string;
  queue: QueueName;
  status: string;
  task_id: string | null;
  subtask_id: string | null;
}

/** A unit as an operator asks for it: whose it is, what it is for, whether it was given up. */
export async function findUnit(
  db: Database,
  /** `tenant_id` null: of every tenant, for the operator. */
  params: { tenant_id: string | null; id: string },
): Promise<UnitInfo | null> {
  const { rows } = await db.pool.query<UnitInfo>(
    `SELECT tenant_id, queue, status, task_id, subtask_id FROM units
     WHERE id = $1 AND ($2::text IS NULL OR tenant_id = $2)`,
    [params.id, params.tenant_id],
  );
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
