import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from './database.ts';

/** What each model call of an attempt took in, as its provider counted, in order: one for each reply in the journal. */
export async function loadCallUsage(db: Database, unit: ClaimedUnit): Promise<number[]> {
  const { task_id, subtask_id, attempt } = unit;
  const { rows } = await db.pool.query<{ input_tokens: number }>({
    name: 'load-call-usage',
    text: `SELECT (data->>'input_tokens')::int AS input_tokens FROM events
      WHERE task_id = $1 AND subtask_id = $2 AND attempt = $3 AND type = 'model.call'
        AND data->>'role' = 'executor'
      ORDER BY seq`,
    values: [task_id, subtask_id, attempt],
  });
  return rows.map(({ input_tokens }) => input_tokens);
}
