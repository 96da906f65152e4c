import type { EventType } from '@loom/shared/events';
import type { UnitFence } from '@loom/shared/work';
import type pg from 'pg';
import type { DeliveryAttempt } from './delivery.ts';

/** A delivery under the lock of its unit, with the database's clock. */
export interface LockedDelivery {
  url: string;
  event: EventType;
  payload: unknown;
  attempts: DeliveryAttempt[];
  created_at: Date;
  now: Date;
}

/** Locks a delivery for the owner of its unit; null when the unit is not owned in this epoch. */
export async function lockDelivery(
  client: pg.ClientBase,
  fence: UnitFence,
): Promise<LockedDelivery | null> {
  const { rows } = await client.query<LockedDelivery>({
    name: 'lock-delivery',
    text: `SELECT d.url, d.event, d.payload, d.attempts, d.created_at,
        clock_timestamp() AS now
      FROM units u JOIN deliveries d ON d.id = u.id
      WHERE u.id = $1 AND u.epoch = $2 AND u.status = 'claimed' FOR UPDATE`,
    values: [fence.unit_id, fence.epoch],
  });
  return rows[0] ?? null;
}

interface DeliveryPatch {
  status: 'pending' | 'delivered' | 'failed';
  attempts: DeliveryAttempt[];
}

/** Writes what became of a locked delivery; one that is over keeps the time of its end. */
export async function writeDelivery(
  client: pg.ClientBase,
  id: string,
  { status, attempts }: DeliveryPatch,
): Promise<void> {
  await client.query({
    name: 'write-delivery',
    text: `UPDATE deliveries SET status = $2, attempts = $3,
        ended_at = CASE WHEN $2 = 'pending' THEN NULL ELSE now() END
      WHERE id = $1`,
    values: [id, status, JSON.stringify(attempts)],
  });
}

/** Ends the unit of a delivery that is over. */
export async function closeUnit(client: pg.ClientBase, id: string): Promise<void> {
  await client.query({
    name: 'close-delivery',
    text: `UPDATE units SET status = 'done', lease_until = NULL, updated_at = now() WHERE id = $1`,
    values: [id],
  });
}
