import type { MemoryEntry } from '@loom/shared/memory';
import type { Database } from '../database.ts';
import { decodeCursor, type Page, toPage } from '../read/keyset-cursor.ts';
import { toIso } from '../read/row-values.ts';

interface MemoryRow extends Omit<MemoryEntry, 'created_at'> {
  created_at: Date;
}

/** What was learnt in a task, oldest first. */
export async function listMemory(
  db: Database,
  params: { tenant_id: string; task_id: string; limit: number; cursor?: string },
): Promise<Page<MemoryEntry>> {
  const after = decodeCursor(params.cursor);
  // An id begins with its time, so that it alone gives the order.
  const { rows } = await db.pool.query<MemoryRow>(
    `SELECT id, task_id, subtask_id, attempt, type, summary, detail, tags, created_at
     FROM memory_entries
     WHERE task_id = $1 AND tenant_id = $2 AND id > $3 ORDER BY id LIMIT $4`,
    [params.task_id, params.tenant_id, after?.id ?? '', params.limit + 1],
  );
  const entries = rows.map((row) => ({ ...row, created_at: toIso(row.created_at) }));
  return toPage(entries, params.limit, ({ created_at, id }) => ({ at: created_at, id }));
}
