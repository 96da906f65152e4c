import type { LedgerEntry } from '@loom/shared/work';
import type pg from 'pg';

/** Writes down how calls left the files that they said they would change. */
export async function closeChanges(
  client: pg.ClientBase | pg.Pool,
  ledger: readonly Pick<LedgerEntry, 'key' | 'changes'>[],
): Promise<void> {
  const rows = ledger.flatMap(({ key, changes }) =>
    changes.map(({ path, after }) => ({ key, path, ...after })),
  );
  if (rows.length === 0) return;
  await client.query({
    name: 'close-changes',
    text: `UPDATE file_changes f SET after_hash = r.hash, after_size = r.size, after_mode = r.mode,
        status = 'done', changed_at = now()
      FROM jsonb_to_recordset($1::jsonb) AS r(key text, path text, hash text, size bigint, mode int)
      WHERE f.call_key = r.key AND f.path = r.path`,
    values: [JSON.stringify(rows)],
  });
}
