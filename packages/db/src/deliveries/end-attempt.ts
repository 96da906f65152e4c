import type { UnitFence } from '@loom/shared/work';
import type { Database } from '../database.ts';
import { inTransaction } from '../transaction.ts';
import type { AttemptEnd, DeliveryAttempt } from './delivery.ts';
import { closeUnit, lockDelivery, writeDelivery } from './lock-delivery.ts';

/** Ends a delivery with its last attempt; false when it is someone else's by now. */
export async function finishDelivery(
  db: Database,
  fence: UnitFence,
  end: AttemptEnd & { delivered: boolean },
): Promise<boolean> {
  return inTransaction(db, async (client) => {
    const delivery = await lockDelivery(client, fence);
    if (delivery === null) return false;
    const attempts = endLast(delivery.attempts, end, null);
    const status = end.delivered ? 'delivered' : 'failed';
    await Promise.all([
      writeDelivery(client, fence.unit_id, { status, attempts }),
      closeUnit(client, fence.unit_id),
    ]);
    return true;
  });
}

/** Ends an attempt and lets the delivery wait for the next, without a worker; false when it is lost. */
export async function parkDelivery(
  db: Database,
  fence: UnitFence,
  end: AttemptEnd & { seconds: number },
): Promise<boolean> {
  return inTransaction(db, async (client) => {
    const delivery = await lockDelivery(client, fence);
    if (delivery === null) return false;
    const next = new Date(delivery.now.getTime() + end.seconds * 1_000);
    const attempts = endLast(delivery.attempts, end, next);
    await Promise.all([
      writeDelivery(client, fence.unit_id, { status: 'pending', attempts }),
      client.query({
        name: 'park-delivery',
        text: `UPDATE units SET status = 'parked', parked_for = 'retry', parked_at = now(), available_at = $2,
            lease_until = NULL, starts = 0, last_error = NULL, updated_at = now()
          WHERE id = $1`,
        values: [fence.unit_id, next],
      }),
    ]);
    return true;
  });
}

function endLast(
  attempts: DeliveryAttempt[],
  { status, error, duration_ms }: AttemptEnd,
  next: Date | null,
): DeliveryAttempt[] {
  const next_at = next?.toISOString() ?? null;
  return attempts.map((attempt, index) =>
    index === attempts.length - 1 ? { ...attempt, status, error, duration_ms, next_at } : attempt,
  );
}
