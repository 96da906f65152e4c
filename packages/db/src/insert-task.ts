import type { NewTask } from '@loom/shared/intake';
import type { TaskPolicy } from '@loom/shared/task-policy';
import type pg from 'pg';
import { ensurePolicy } from './policies.ts';

/** Where a task comes from, besides its goal. */
export interface TaskOrigin {
  id: string;
  tenant_id: string;
  turn_id: string | null;
  tool_call_id: string | null;
  turn_waits: boolean;
  depth: number;
  max_parallel: number;
  policy: TaskPolicy;
}

/** Puts a task's row there; false when the same tool call had made it before. Its first decision follows in the same transaction. */
export async function insertTask(
  client: pg.ClientBase,
  task: Omit<NewTask, 'plan'>,
  origin: TaskOrigin,
): Promise<boolean> {
  const policyId = await ensurePolicy(client, origin.policy);
  const { rowCount } = await client.query({
    name: 'insert-task',
    text: `INSERT INTO tasks (id, tenant_id, session_id, turn_id, tool_call_id, turn_waits, depth, goal, context,
        workspace, process, approval_mode, callback_url, budget, metadata, status, max_parallel, policy_id, read_roots)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'queued', $16, $17, $18)
      ON CONFLICT (turn_id, tool_call_id) WHERE tool_call_id IS NOT NULL DO NOTHING`,
    values: [
      origin.id,
      origin.tenant_id,
      task.session_id,
      origin.turn_id,
      origin.tool_call_id,
      origin.turn_waits,
      origin.depth,
      task.goal,
      JSON.stringify(task.context),
      task.workspace,
      task.process,
      origin.policy.approval.mode,
      task.callback_url,
      JSON.stringify(task.budget),
      JSON.stringify(task.metadata),
      origin.max_parallel,
      policyId,
      task.read_roots ?? [],
    ],
  });
  return rowCount === 1;
}
