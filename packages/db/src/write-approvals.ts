import type { Ring } from '@loom/shared/queues';
import type pg from 'pg';
import type { TaskBatch } from './task-batch.ts';

/** Writes the questions a set put to people, and the answers it gave. */
export async function writeApprovals(client: pg.ClientBase, batch: TaskBatch): Promise<void> {
  const rows = [...batch.approvals.values()];
  if (rows.length === 0) return;
  await client.query({
    name: 'write-approvals',
    text: `WITH r AS (SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(id text, tenant_id text, task_id text,
        session_id text, turn_id text, kind text, tool text, arguments jsonb, reason text, subtask_id text,
        attempt int, unit_id text, call_key text, expires_at timestamptz, status text, decided_by text,
        decision_reason text, decided_arguments jsonb)),
      opened AS (
        INSERT INTO approvals (id, tenant_id, task_id, session_id, turn_id, kind, tool, arguments, reason,
          subtask_id, attempt, unit_id, call_key, expires_at, status, decided_by, decided_at, decision_reason,
          decided_arguments)
        SELECT id, tenant_id, task_id, session_id, turn_id, kind, tool, coalesce(arguments, '{}'), reason,
          subtask_id, attempt, unit_id, call_key, expires_at, coalesce(status, 'pending'), decided_by,
          CASE WHEN status IS NOT NULL THEN now() END, decision_reason, decided_arguments
        FROM r WHERE kind IS NOT NULL)
      UPDATE approvals a SET status = r.status, decided_by = r.decided_by, decided_at = now(),
        decision_reason = r.decision_reason, decided_arguments = r.decided_arguments
      FROM r WHERE a.id = r.id AND r.kind IS NULL AND a.status = 'pending'`,
    values: [JSON.stringify(rows)],
  });
}

/** Lets parked units go on: those that waited for a pause to end, and those of the named attempts. */
export async function wakeUnits(client: pg.ClientBase, batch: TaskBatch): Promise<Ring[]> {
  const works = [...batch.tasks.values()].filter(
    ({ wake }) => wake.paused || wake.attempts.length > 0,
  );
  if (works.length === 0) return [];
  const paused = works.filter(({ wake }) => wake.paused).map(({ row }) => row.id);
  const attempts = works.flatMap(({ row, wake }) =>
    wake.attempts.map((attempt) => ({ task_id: row.id, ...attempt })),
  );
  const { rows } = await client.query<Ring>({
    name: 'wake-units',
    text: `UPDATE units u SET status = 'waiting', available_at = NULL, rung_at = now(), updated_at = now()
      WHERE u.status = 'parked' AND u.queue <> 'deliveries'
        AND ((u.task_id = ANY($1) AND u.parked_for = 'pause')
          OR (u.task_id, u.subtask_id, u.attempt) IN (SELECT * FROM unnest($2::text[], $3::text[], $4::int[])))
      RETURNING u.queue, u.tenant_id, u.id AS unit_id, u.epoch`,
    values: [
      paused,
      attempts.map(({ task_id }) => task_id),
      attempts.map(({ subtask_id }) => subtask_id),
      attempts.map(({ attempt }) => attempt),
    ],
  });
  return rows;
}
