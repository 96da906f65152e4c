import { commitTaskInput } from '@loom/db/commit-tasks';
import { isPast } from '@loom/db/is-past';
import { appendAudit } from '@loom/db/read/audit';
import { raiseSessionBudget } from '@loom/db/session-budget';
import type { Transaction } from '@loom/db/transaction';
import { rememberTool } from '@loom/db/turn-approvals';
import { isDestructive } from '@loom/engine/approval-gate';
import { decideTask } from '@loom/engine/decide-task';
import { AppError } from '@loom/shared/app-error';
import type { Approval, ApprovalDecision, DecideApproval } from '@loom/shared/approval';
import { budgetSchema } from '@loom/shared/budget';
import type { Caller } from '@loom/shared/intake';
import type { Runtime } from './create-runtime.ts';

interface TaskAnswer {
  runtime: Pick<Runtime, 'config'>;
  caller: Caller;
  asked: Approval;
  task_id: string;
  input: DecideApproval;
}

/** Answers a task's question inside the caller's transaction, unless it was answered or is too late. */
export async function decideTaskApproval(
  client: Transaction,
  { runtime, caller, asked, task_id, input }: TaskAnswer,
) {
  const { tenant_id } = caller;
  const decision = toDecision(caller, input);
  const remember =
    decision.remember && asked.tool !== null && !isDestructive(asked.tool, asked.arguments);
  const raised = asked.kind === 'budget' ? raisedLimits(asked, input) : null;
  const base = { kind: 'control', task_id, tenant_id } as const;
  const late = asked.expires_at !== null && (await isPast(client, asked.expires_at));
  const { after, events } = await commitTaskInput(
    client,
    {
      ...base,
      input: late
        ? { kind: 'time_passed' }
        : {
            kind: 'approval_decided',
            id: asked.id,
            ...decision,
            arguments: raised?.forTask ?? decision.arguments,
            remember,
          },
    },
    decideTask,
    { extracts: runtime.config.memory.extraction_enabled },
  );
  const decided = events.some(
    ({ type, data }) => type === 'approval.decided' && data.approval_id === asked.id,
  );
  if (decided && remember && asked.tool !== null && asked.session_id !== null) {
    await rememberTool(client, asked.session_id, asked.tool);
  }
  if (decided && raised?.forSession && input.decision === 'approve') {
    const { session_id } = asked;
    const limits = raised.forSession;
    if (session_id !== null) await raiseSessionBudget(client, { session_id, tenant_id, limits });
  }
  if (decided) {
    const detail = { decision: input.decision, kind: asked.kind, task_id };
    await appendAudit(client, { ...caller, action: 'approval.decide', target: asked.id, detail });
  }
  return { after, decided };
}

/** An answer as it is kept, with who gave it. */
export function toDecision(caller: Caller, input: DecideApproval): ApprovalDecision {
  return {
    decision: input.decision,
    by: caller.actor,
    reason: input.reason ?? null,
    arguments: input.arguments ?? null,
    remember: input.scope === 'session',
  };
}

/** New limits: those that were proposed unless the answer names others, for whoever's budget it is. */
function raisedLimits(asked: Approval, input: DecideApproval) {
  const proposed = asked.arguments as Record<string, unknown>;
  const { scope, ...limits } = { ...proposed, ...input.arguments };
  const parsed = budgetSchema.safeParse(limits);
  if (!parsed.success) {
    throw new AppError(
      'invalid_request',
      'The arguments are limits such as {"max_tokens": 20000}.',
    );
  }
  return scope === 'session'
    ? { forTask: {}, forSession: parsed.data }
    : { forTask: parsed.data, forSession: null };
}
