import type { Identity } from '@loom/db/read/api-keys';
import { listDeadLetters } from '@loom/db/read/dead-letters';
import { AppError } from '@loom/shared/app-error';
import type { QueueName } from '@loom/shared/queues';
import type { GatewayParts } from './gateway-parts.ts';
import { retryDeadUnit } from './retry-dead-unit.ts';

const maxAtOnce = 200;

/** Brings the dead letters of a queue back, whosever they are; `skipped` are those that someone else retried, or nobody can. */
export async function retryDeadQueue(
  parts: GatewayParts,
  identity: Identity,
  queue: QueueName,
  via: string,
): Promise<{ retried: number; skipped: number }> {
  const { items } = await listDeadLetters(parts.db, { tenant_id: null, queue, limit: maxAtOnce });
  let retried = 0;
  for (const { unit_id } of items) {
    try {
      await retryDeadUnit(parts, identity, unit_id, via);
      retried += 1;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
    }
  }
  return { retried, skipped: items.length - retried };
}
