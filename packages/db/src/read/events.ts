import type { EventType, LoggedEvent } from '@loom/shared/events';
import type { Database } from '../database.ts';
import { toIso } from './row-values.ts';

/** A log: a task's own, or a session's with everything its turns and tasks did. */
export interface StreamKey {
  kind: 'task' | 'session';
  id: string;
  tenant_id: string;
}

interface EventRow {
  seq: number;
  type: EventType;
  at: Date;
  session_id: string | null;
  turn_id: string | null;
  task_id: string | null;
  subtask_id: string | null;
  attempt: number | null;
  data: LoggedEvent['data'];
}

const readEvents = {
  task: `SELECT seq, type, at, session_id, NULL AS turn_id, task_id, subtask_id, attempt, data
    FROM events WHERE task_id = $1 AND tenant_id = $2 AND seq > $3::bigint ORDER BY seq LIMIT $4`,
  session: `SELECT seq, type, at, session_id, turn_id, task_id, subtask_id, attempt, data
    FROM session_events
    WHERE session_id = $1 AND tenant_id = $2 AND seq > $3::bigint ORDER BY seq LIMIT $4`,
};

/** At most `limit` events of a log after a sequence number, in order. */
export async function listEvents(
  db: Database,
  stream: StreamKey,
  params: { after: number; limit: number },
): Promise<LoggedEvent[]> {
  const { rows } = await db.pool.query<EventRow>({
    name: `events-of-${stream.kind}`,
    text: readEvents[stream.kind],
    values: [stream.id, stream.tenant_id, params.after, params.limit],
  });
  return rows.map(toEvent);
}

/** The number of a log's newest event; null when the tenant has no such stream. */
export async function getLastSeq(db: Database, stream: StreamKey): Promise<number | null> {
  const table = stream.kind === 'task' ? 'tasks' : 'sessions';
  const { rows } = await db.pool.query<{ last_seq: number }>(
    `SELECT last_seq FROM ${table} WHERE id = $1 AND tenant_id = $2`,
    [stream.id, stream.tenant_id],
  );
  return rows[0]?.last_seq ?? null;
}

/**
 * After which event the story of a message begins: its turn's first event, or, for the answer to a
 * question that the turn asked, that question.
 */
export async function getTurnStart(
  db: Database,
  params: { tenant_id: string; session_id: string; turn_id: string; message_number: number },
): Promise<number> {
  const { rows } = await db.pool.query<{ start: number | null }>(
    `WITH log AS (
       SELECT seq, type, data FROM session_events
       WHERE turn_id = $1 AND session_id = $2 AND tenant_id = $3
     ), message AS (
       SELECT seq FROM log
       WHERE type = 'message.appended' AND data -> 'number' = to_jsonb($4::int)
     )
     SELECT COALESCE(
       (SELECT max(log.seq) FROM log, message
        WHERE log.type IN ('turn.awaiting_user', 'turn.steered') AND log.seq < message.seq),
       (SELECT min(seq) - 1 FROM log)) AS start`,
    [params.turn_id, params.session_id, params.tenant_id, params.message_number],
  );
  return rows[0]?.start ?? 0;
}

/** Whether a turn started a task. */
export async function isTaskOfTurn(
  db: Database,
  params: { tenant_id: string; turn_id: string; task_id: string },
): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    'SELECT 1 FROM tasks WHERE id = $1 AND turn_id = $2 AND tenant_id = $3',
    [params.task_id, params.turn_id, params.tenant_id],
  );
  return rowCount === 1;
}

function toEvent(row: EventRow): LoggedEvent {
  return {
    seq: row.seq,
    type: row.type,
    at: toIso(row.at),
    ...(row.session_id === null ? {} : { session_id: row.session_id }),
    ...(row.turn_id === null ? {} : { turn_id: row.turn_id }),
    ...(row.task_id === null ? {} : { task_id: row.task_id }),
    ...(row.subtask_id === null ? {} : { subtask_id: row.subtask_id }),
    ...(row.attempt === null ? {} : { attempt: row.attempt }),
    data: row.data,
  };
}
