import type { Database } from '../database.ts';
import { toIso, toIsoOrNull } from '../read/row-values.ts';
import type { Delivery } from './delivery.ts';

interface DeliveryRow extends Omit<Delivery, 'created_at' | 'ended_at'> {
  created_at: Date;
  ended_at: Date | null;
}

/** What a task's callback_url was told, oldest first; null when the tenant has no such task. */
export async function listDeliveries(
  db: Database,
  params: { tenant_id: string; task_id: string },
): Promise<Delivery[] | null> {
  const { rows } = await db.pool.query<DeliveryRow | { id: null }>(
    `SELECT d.id, d.task_id, d.url, d.event, d.status, d.attempts, d.created_at, d.ended_at
      FROM tasks t LEFT JOIN deliveries d ON d.task_id = t.id AND d.tenant_id = t.tenant_id
      WHERE t.id = $1 AND t.tenant_id = $2 ORDER BY d.created_at, d.id`,
    [params.task_id, params.tenant_id],
  );
  if (rows.length === 0) return null;
  return rows
    .filter((row): row is DeliveryRow => row.id !== null)
    .map(({ created_at, ended_at, ...row }) => ({
      ...row,
      created_at: toIso(created_at),
      ended_at: toIsoOrNull(ended_at),
    }));
}
