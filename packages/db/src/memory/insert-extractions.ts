import type { NewEvent } from '@loom/shared/events';
import type { Ring } from '@loom/shared/queues';
import type pg from 'pg';
import { extractionId } from '../unit-ids.ts';

/** An attempt with which a subtask ended, so that there may be something to remember of it. */
export interface EndedAttempt {
  tenant_id: string;
  task_id: string;
  session_id: string | null;
  subtask_id: string;
  attempt: number;
}

const ends: readonly string[] = ['subtask.completed', 'subtask.failed'];

/** The attempts with which subtasks ended for good in these events; what never ran left nothing to learn. */
export function endedAttempts(
  task: { id: string; tenant_id: string; session_id: string | null },
  events: readonly NewEvent[],
): EndedAttempt[] {
  const { id: task_id, tenant_id, session_id } = task;
  return events.flatMap(({ type, subtask_id, attempt }) =>
    ends.includes(type) && subtask_id !== undefined && attempt !== undefined
      ? [{ tenant_id, task_id, session_id, subtask_id, attempt }]
      : [],
  );
}

/** Makes a unit for each attempt, in the transaction that ends its subtask, once for each; ring after it. */
export async function insertExtractions(
  client: pg.ClientBase,
  attempts: EndedAttempt[],
): Promise<Ring[]> {
  if (attempts.length === 0) return [];
  const ids = attempts.map(extractionId);
  await client.query({
    name: 'insert-extractions',
    // A subtask that was opened again may end again before it has another attempt.
    text: `INSERT INTO units (id, tenant_id, queue, status, session_id, task_id, subtask_id, attempt)
      SELECT id, tenant_id, 'deliveries', 'waiting', session_id, task_id, subtask_id, attempt
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[])
        AS r(id, tenant_id, session_id, task_id, subtask_id, attempt)
      ON CONFLICT (id) DO NOTHING`,
    values: [
      ids,
      attempts.map(({ tenant_id }) => tenant_id),
      attempts.map(({ session_id }) => session_id),
      attempts.map(({ task_id }) => task_id),
      attempts.map(({ subtask_id }) => subtask_id),
      attempts.map(({ attempt }) => attempt),
    ],
  });
  return attempts.map(({ tenant_id }, index) => ({
    queue: 'deliveries',
    tenant_id,
    unit_id: ids[index] ?? '',
    epoch: 0,
  }));
}
