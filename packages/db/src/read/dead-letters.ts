import type { DeadLetter } from '@loom/shared/api';
import type { QueueName } from '@loom/shared/queues';
import type { Database } from '../database.ts';
import { behind, decodeCursor, type Page, toPage } from './keyset-cursor.ts';
import { toIso } from './row-values.ts';

interface DeadLetterQuery {
  /** Null: of every tenant, for the operator. */
  tenant_id: string | null;
  queue: QueueName | null;
  limit: number;
  cursor?: string;
}

/** Units that were given up, the latest first. */
export async function listDeadLetters(
  db: Database,
  params: DeadLetterQuery,
): Promise<Page<DeadLetter>> {
  const { unit } = await db.prisma();
  const rows = await unit.findMany({
    select: {
      id: true,
      queue: true,
      dead_reason: true,
      starts: true,
      last_error: true,
      updated_at: true,
    },
    where: {
      status: 'dead',
      ...(params.tenant_id === null ? {} : { tenant_id: params.tenant_id }),
      ...(params.queue === null ? {} : { queue: params.queue }),
      ...behind('updated_at', decodeCursor(params.cursor)),
    },
    orderBy: [{ updated_at: 'desc' }, { id: 'desc' }],
    take: params.limit + 1,
  });
  const letters = rows.map(({ dead_reason, updated_at, ...row }) => ({
    ...row,
    unit_id: row.id,
    reason: dead_reason ?? 'unknown',
    created_at: toIso(updated_at),
  }));
  return toPage(letters, params.limit, ({ created_at, id }) => ({ at: created_at, id }));
}
