import type { DeadLetter } from '@loom/shared/api';
import type { QueueName } from '@loom/shared/queues';
import type { Database } from '../database.ts';
import { decodeCursor, type Page, toPage } from './keyset-cursor.ts';
import { toIso } from './row-values.ts';

interface DeadLetterRow extends Omit<DeadLetter, 'created_at'> {
  created_at: Date;
}

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
  const after = decodeCursor(params.cursor);
  const { rows } = await db.pool.query<DeadLetterRow>(
    `SELECT id, queue, id AS unit_id, COALESCE(dead_reason, 'unknown') AS reason, starts,
       last_error, updated_at AS created_at
     FROM units
     WHERE status = 'dead'
       AND ($1::text IS NULL OR tenant_id = $1)
       AND ($2::text IS NULL OR queue = $2)
       AND ($3::timestamptz IS NULL OR (updated_at, id) < ($3, $4))
     ORDER BY updated_at DESC, id DESC LIMIT $5`,
    [params.tenant_id, params.queue, after?.at ?? null, after?.id ?? null, params.limit + 1],
  );
  const letters = rows.map((row) => ({ ...row, created_at: toIso(row.created_at) }));
  return toPage(letters, params.limit, ({ created_at, id }) => ({ at: created_at, id }));
}

interface UnitInfo {
  tenant_id: string;
  queue: QueueName;
  status: string;
}

/** Whose a unit is and whether it was given up; null when the asker has no such unit. */
export async function findUnit(
  db: Database,
  params: { tenant_id: string | null; unit_id: string },
): Promise<UnitInfo | null> {
  const { rows } = await db.pool.query<UnitInfo>(
    `SELECT tenant_id, queue, status FROM units WHERE id = $1 AND ($2::text IS NULL OR tenant_id = $2)`,
    [params.unit_id, params.tenant_id],
  );
  return rows[0] ?? null;
}
