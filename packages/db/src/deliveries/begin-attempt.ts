import type { EventType } from '@loom/shared/events';
import type { UnitFence } from '@loom/shared/work';
import type { Database } from '../database.ts';
import { toIso } from '../read/row-values.ts';
import { inTransaction } from '../transaction.ts';
import { type DeliveryAttempt, endCutOff } from './delivery.ts';
import { closeUnit, lockDelivery, writeDelivery } from './lock-delivery.ts';

/** What a receiver gets: the same in every attempt, so that it can tell a repetition by its id. */
interface WebhookBody {
  id: string;
  type: EventType;
  created_at: string;
  task: unknown;
}

type BegunAttempt =
  | { outcome: 'begun'; number: number; url: string; event: EventType; body: WebhookBody }
  /** Workers went away in each of its attempts: it was given up. */
  | { outcome: 'spent' }
  | { outcome: 'lost' };

/**
 * Writes an attempt down before it is made, so that the list also shows those whose worker went away
 * in the middle, and none is made more often than allowed.
 */
export async function beginAttempt(
  db: Database,
  fence: UnitFence,
  maxAttempts: number,
): Promise<BegunAttempt> {
  return inTransaction(db, async (client): Promise<BegunAttempt> => {
    const delivery = await lockDelivery(client, fence);
    if (delivery === null) return { outcome: 'lost' };
    const { url, event, payload: task, now } = delivery;
    const earlier = endCutOff(delivery.attempts);
    if (earlier.length >= maxAttempts) {
      const failed = { status: 'failed', attempts: earlier } as const;
      await Promise.all([
        writeDelivery(client, fence.unit_id, failed),
        closeUnit(client, fence.unit_id),
      ]);
      return { outcome: 'spent' };
    }
    const attempt: DeliveryAttempt = {
      number: earlier.length + 1,
      at: toIso(now),
      status: null,
      error: null,
      duration_ms: null,
      next_at: null,
    };
    const attempts = [...earlier, attempt];
    await writeDelivery(client, fence.unit_id, { status: 'pending', attempts });
    const created_at = toIso(delivery.created_at);
    const body = { id: fence.unit_id, type: event, created_at, task };
    return { outcome: 'begun', number: attempt.number, url, event, body };
  });
}
