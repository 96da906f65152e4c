import type { Replay } from '@loom/shared/api';
import type { EventType } from '@loom/shared/events';
import type { Database } from '../database.ts';

interface ReplayEvent {
  type: EventType;
  subtask_id?: string;
  attempt?: number;
  data: Record<string, unknown>;
}

interface ReplayRow extends Omit<Replay['state'], 'subtasks'> {
  subtasks: Replay['state']['subtasks'];
  events: ReplayEvent[];
}

// One statement has one snapshot, so that a running task's log and state belong together.
const readReplayInput = `
  SELECT t.status, t.verification, t.plan_version,
    COALESCE((
      SELECT json_agg(json_build_object('id', s.id, 'status', s.status, 'attempts', s.attempts)
        ORDER BY s.position, s.id)
      FROM subtasks s WHERE s.task_id = t.id AND s.tenant_id = t.tenant_id), '[]') AS subtasks,
    COALESCE((
      SELECT json_agg(json_strip_nulls(json_build_object('type', e.type,
          'subtask_id', e.subtask_id, 'attempt', e.attempt))::jsonb
          || jsonb_build_object('data', e.data) ORDER BY e.seq)
      FROM events e WHERE e.task_id = t.id AND e.tenant_id = t.tenant_id), '[]') AS events
  FROM tasks t WHERE t.id = $1 AND t.tenant_id = $2`;

/** A task's whole log and the state stored beside it, as of one instant. */
export async function getReplayInput(
  db: Database,
  params: { tenant_id: string; task_id: string },
): Promise<{ events: ReplayEvent[]; stored: Replay['state'] } | null> {
  const { rows } = await db.pool.query<ReplayRow>(readReplayInput, [
    params.task_id,
    params.tenant_id,
  ]);
  if (rows[0] === undefined) return null;
  const { events, ...stored } = rows[0];
  return { events, stored };
}
