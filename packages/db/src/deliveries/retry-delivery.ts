import type { Ring } from '@loom/shared/queues';
import type { Transaction } from '../transaction.ts';

/** Brings a delivery back that became a dead letter; null when it is not dead. Ring after the commit. */
export async function retryDelivery(
  client: Transaction,
  params: { tenant_id: string; id: string },
): Promise<Ring | null> {
  const { rows } = await client.query<Ring>(
    `WITH back AS (
        UPDATE units SET status = 'waiting', starts = 0, dead_reason = NULL, last_error = NULL,
          rung_at = now(), updated_at = now()
        WHERE id = $1 AND tenant_id = $2 AND queue = 'deliveries' AND status = 'dead'
        RETURNING queue, tenant_id, id AS unit_id, epoch),
      pending AS (
        UPDATE deliveries SET status = 'pending', ended_at = NULL
        WHERE id IN (SELECT unit_id FROM back))
      SELECT queue, tenant_id, unit_id, epoch FROM back`,
    [params.id, params.tenant_id],
  );
  return rows[0] ?? null;
}
