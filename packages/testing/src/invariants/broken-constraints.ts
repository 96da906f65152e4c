import type { TestDatabase } from '../test-database.ts';

/** (g) One verdict an attempt, one live unit for a piece of work, no owner without work. */
export async function brokenConstraints(database: TestDatabase): Promise<string[]> {
  const rows = await database.rows<{ line: string }>(`
    SELECT format('%s verdicts for attempt %s of %s in %s', count(*), attempt, subtask_id, task_id) AS line
    FROM verdicts GROUP BY task_id, subtask_id, attempt HAVING count(*) > 1
    UNION ALL
    SELECT format('verdict without attempt: %s of %s in %s', attempt, subtask_id, task_id)
    FROM verdicts verdict WHERE NOT EXISTS (
      SELECT FROM attempts WHERE task_id = verdict.task_id AND subtask_id = verdict.subtask_id
        AND number = verdict.attempt)
    UNION ALL
    SELECT format('verified attempt without verdict: %s of %s in %s', number, subtask_id, task_id)
    FROM attempts attempt WHERE status = 'completed' AND NOT EXISTS (
      SELECT FROM verdicts WHERE task_id = attempt.task_id AND subtask_id = attempt.subtask_id
        AND verdicts.attempt = attempt.number)
    UNION ALL
    SELECT format('subtask %s of %s counts %s attempts and has %s', id, task_id, attempts, kept.n)
    FROM subtasks subtask CROSS JOIN LATERAL (
      SELECT count(*) AS n FROM attempts
      WHERE task_id = subtask.task_id AND subtask_id = subtask.id) kept
    WHERE kept.n <> attempts
    UNION ALL
    SELECT format('unit %s is still %s, owner %s', id, status, coalesce(owner, 'none'))
    FROM units WHERE status IN ('waiting', 'claimed')
    UNION ALL
    SELECT format('unit %s is parked but its turn is %s', units.id, coalesce(turns.status, 'missing'))
    FROM units LEFT JOIN turns ON turns.id = units.turn_id
    WHERE units.status = 'parked' AND turns.status IS DISTINCT FROM 'awaiting_user'
    UNION ALL
    SELECT format('%s units did attempt %s of %s in %s', count(*), attempt, subtask_id, task_id)
    FROM units WHERE queue = 'subtasks' AND status = 'done'
    GROUP BY task_id, subtask_id, attempt HAVING count(*) > 1
    UNION ALL
    SELECT format('delivery %s is still pending', id) FROM deliveries WHERE status = 'pending'
    UNION ALL
    SELECT format('approval %s is still pending, but its task is %s', approvals.id, tasks.status)
    FROM approvals JOIN tasks ON tasks.id = approvals.task_id
    WHERE approvals.status = 'pending' AND tasks.status IN ('completed', 'failed', 'cancelled')
    UNION ALL
    SELECT format('the budget of %s still holds calls', id) FROM budgets
    WHERE model_calls_held <> 0 OR tool_calls_held <> 0 OR mutating_tool_calls_held <> 0`);
  return rows.map((row) => row.line);
}
