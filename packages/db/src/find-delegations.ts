import type pg from 'pg';

interface Delegations {
  /** Delegated tasks of the session that have not ended. */
  open: number;
  /** The task that this very call has started before, if it has. */
  task_id: string | null;
}

/** Counts what a locked session has delegated, and finds what a call has made of it already. */
export async function findDelegations(
  client: pg.ClientBase,
  call: { session_id: string | null; turn_id: string | null; tool_call_id: string },
): Promise<Delegations> {
  const { rows } = await client.query<Delegations>({
    name: 'find-delegations',
    text: `SELECT count(*) FILTER (WHERE status NOT IN ('completed', 'failed', 'cancelled'))::int AS open,
        max(id) FILTER (WHERE turn_id = $2 AND tool_call_id = $3) AS task_id
      FROM tasks WHERE session_id = $1 AND tool_call_id IS NOT NULL`,
    values: [call.session_id, call.turn_id, call.tool_call_id],
  });
  return rows[0] ?? { open: 0, task_id: null };
}
