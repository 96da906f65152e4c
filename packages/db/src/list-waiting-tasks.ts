import type { Database } from './database.ts';

/** The tasks for whose results a turn waits. */
export async function listWaitingTasks(
  db: Database,
  params: { tenant_id: string; turn_id: string },
): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(
    'SELECT id FROM tasks WHERE turn_id = $1 AND tenant_id = $2 AND turn_waits',
    [params.turn_id, params.tenant_id],
  );
  return rows.map(({ id }) => id);
}
