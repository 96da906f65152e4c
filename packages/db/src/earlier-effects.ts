import type { JsonValue } from '@loom/shared/json';
import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from './database.ts';

/** A call of an earlier attempt that had an effect, or may have had one. */
export interface EarlierEffect {
  key: string;
  status: 'done' | 'in_doubt';
  result: string | null;
}

/** What earlier attempts of a unit's subtask did with one tool and the very same arguments, oldest first. */
export async function findEarlierEffects(
  db: Database,
  { tenant_id, task_id, subtask_id, attempt }: ClaimedUnit,
  call: { tool: string; arguments: JsonValue },
): Promise<EarlierEffect[]> {
  const { rows } = await db.pool.query<EarlierEffect>({
    name: 'find-earlier-effects',
    text: `SELECT key, status, result FROM tool_calls
      WHERE tenant_id = $1 AND task_id = $2 AND subtask_id = $3 AND attempt < $4
        AND tool = $5 AND arguments = $6::jsonb AND status IN ('done', 'in_doubt')
      ORDER BY started_at, key`,
    values: [tenant_id, task_id, subtask_id, attempt, call.tool, JSON.stringify(call.arguments)],
  });
  return rows;
}
