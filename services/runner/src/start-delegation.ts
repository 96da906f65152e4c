import { type AfterCommit, commitTaskInput } from '@loom/db/commit-tasks';
import { findDelegations } from '@loom/db/find-delegations';
import { insertTask } from '@loom/db/insert-task';
import type { Transaction } from '@loom/db/transaction';
import { decideTask } from '@loom/engine/decide-task';
import { defaultLimits } from '@loom/runtime/default-limits';
import type { ApprovalMode } from '@loom/shared/approval';
import type { ToolCall } from '@loom/shared/chat';
import type { Config } from '@loom/shared/config';
import { newId } from '@loom/shared/ids';
import type { JsonObject } from '@loom/shared/json';
import type { SessionState } from '@loom/shared/session-state';
import { taskPolicy } from '@loom/shared/task-policy';
import type { ClaimedUnit } from '@loom/shared/work';
import type { DelegateTaskInput } from '@loom/tools/conversation-tools';
import { conversationContext } from './conversation-context.ts';

export interface Delegation {
  task_id: string;
  after: AfterCommit | null;
  /** No task was started: what the call is answered with instead. */
  refused: string | null;
}

interface DelegationParams {
  unit: ClaimedUnit;
  call: ToolCall;
  input: DelegateTaskInput;
  workspace: string | null;
  /** The session's: what its person wants to see, they want to see of its tasks too. */
  approval_mode: ApprovalMode;
  /** What the conversation has come to; the task is told of it. */
  state: SessionState;
  config: Config;
}

/** Tasks of a turn stand right below their conversation. */
const depth = 1;

/**
 * Starts the task of a delegate_task call, inside the turn's own transaction and under its
 * session's lock. The call can be carried out again after a crash: it names the task, so there is
 * one task at most.
 */
export async function startDelegation(
  client: Transaction,
  params: DelegationParams,
): Promise<Delegation> {
  const { unit, call, config } = params;
  const { session_id, turn_id, tenant_id } = unit;
  const found = await findDelegations(client, { session_id, turn_id, tool_call_id: call.id });
  if (found.task_id !== null) return { task_id: found.task_id, after: null, refused: null };
  const refused = refusal(config, found.open);
  if (refused !== null) return { task_id: '', after: null, refused };
  const id = newId('task');
  await insertDelegation(client, id, params);
  const created = { kind: 'created', plan: null } as const;
  const change = { kind: 'control', task_id: id, tenant_id, input: created } as const;
  const { after } = await commitTaskInput(client, change, decideTask);
  return { task_id: id, after, refused: null };
}

async function insertDelegation(
  client: Transaction,
  id: string,
  { unit, call, input, workspace, approval_mode, state, config }: DelegationParams,
): Promise<void> {
  const task = {
    goal: input.goal,
    context: contextOf(input, state),
    workspace,
    process: input.process ?? null,
    approval_mode,
    phase_mode: null,
    phases: [],
    critical_path_behavior: null,
    callback_url: null,
    budget: defaultLimits(config),
    metadata: {},
    session_id: unit.session_id,
  };
  await insertTask(client, task, {
    id,
    tenant_id: unit.tenant_id,
    turn_id: unit.turn_id,
    tool_call_id: call.id,
    turn_waits: input.wait,
    depth,
    max_parallel: config.execution.max_parallel_subtasks,
    policy: taskPolicy(config, { approval_mode, in_session: true }),
  });
}

/** What the model chose to pass on, and what it may have forgotten to. */
function contextOf({ context = {} }: DelegateTaskInput, state: SessionState): JsonObject {
  const conversation = conversationContext(state);
  if (conversation === null) return context;
  const { conversation: passed_on } = context;
  const whole = passed_on === undefined ? conversation : { ...conversation, passed_on };
  return { ...context, conversation: whole };
}

function refusal({ cowork }: Config, open: number): string | null {
  if (depth > cowork.max_delegation_depth) {
    return 'This conversation may not delegate tasks, so do the work yourself, step by step.';
  }
  if (open < cowork.max_open_delegations) return null;
  return `${open} delegated tasks of this conversation are still under way, which is as many as there may be: wait for a result before you delegate more, or do it yourself.`;
}
