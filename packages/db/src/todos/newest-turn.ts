import type { Database } from '../database.ts';

/** The turn of a session that began last; null when none has begun. */
export async function newestTurn(
  db: Database,
  { tenant_id, session_id }: { tenant_id: string; session_id: string },
): Promise<string | null> {
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT id FROM turns WHERE session_id = $1 AND tenant_id = $2 AND started_at IS NOT NULL
     ORDER BY created_at DESC, id DESC LIMIT 1`,
    [session_id, tenant_id],
  );
  return rows[0]?.id ?? null;
}
