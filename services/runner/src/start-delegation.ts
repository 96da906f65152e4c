import { type AfterCommit, commitTaskInput } from '@loom/db/commit-tasks';
import { insertTask } from '@loom/db/insert-task';
import type { Transaction } from '@loom/db/transaction';
import { decideTask } from '@loom/engine/decide-task';
import type { ToolCall } from '@loom/shared/chat';
import { newId } from '@loom/shared/ids';
import type { ClaimedUnit } from '@loom/shared/work';
import type { DelegateTaskInput } from '@loom/tools/conversation-tools';

export interface Delegation {
  task_id: string;
  after: AfterCommit | null;
}

/**
 * Starts the task of a delegate_task call, inside the turn's own transaction. The call can
 * be carried out again after a crash: it names the task, so there is one task at most.
 */
export async function startDelegation(
  client: Transaction,
  params: {
    unit: ClaimedUnit;
    call: ToolCall;
    input: DelegateTaskInput;
    workspace: string | null;
    max_parallel: number;
  },
): Promise<Delegation> {
  const { unit, call, input } = params;
  const id = newId('task');
  const inserted = await insertTask(
    client,
    {
      goal: input.goal,
      context: input.context ?? {},
      workspace: params.workspace,
      process: input.process ?? null,
      approval_mode: 'auto',
      callback_url: null,
      budget: {},
      metadata: {},
      session_id: unit.session_id,
    },
    {
      id,
      tenant_id: unit.tenant_id,
      turn_id: unit.turn_id,
      tool_call_id: call.id,
      turn_waits: input.wait,
      depth: 0,
      max_parallel: params.max_parallel,
    },
  );
  if (!inserted) return { task_id: '', after: null };
  const created = { kind: 'created', plan: null } as const;
  const { tenant_id } = unit;
  const change = { kind: 'control', task_id: id, tenant_id, input: created } as const;
  const { after } = await commitTaskInput(client, change, decideTask);
  return { task_id: id, after };
}
