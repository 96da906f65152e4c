import type { TestDatabase } from '../test-database.ts';

/** (a) Every task, turn and subtask has ended; a turn may also be waiting for its user. */
export async function unfinishedWork(database: TestDatabase): Promise<string[]> {
  const rows = await database.rows<{ line: string }>(`
    SELECT format('task %s is %s', id, status) AS line FROM tasks
    WHERE status NOT IN ('completed', 'failed', 'cancelled')
    UNION ALL
    SELECT format('turn %s is %s', id, status) FROM turns
    WHERE status NOT IN ('completed', 'failed', 'cancelled', 'awaiting_user')
    UNION ALL
    SELECT format('subtask %s of %s is %s', id, task_id, status) FROM subtasks
    WHERE status NOT IN ('completed', 'failed', 'skipped', 'blocked')
    UNION ALL
    SELECT format('attempt %s of %s in %s is %s', number, subtask_id, task_id, status) FROM attempts
    WHERE status NOT IN ('completed', 'failed', 'cancelled')`);
  return rows.map((row) => row.line);
}
