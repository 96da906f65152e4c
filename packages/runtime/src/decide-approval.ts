import { commitTaskInput } from '@loom/db/commit-tasks';
import { decideTurnApproval } from '@loom/db/decide-turn-approval';
import { isPast } from '@loom/db/is-past';
import { getApproval } from '@loom/db/read/approvals';
import { appendAudit } from '@loom/db/read/audit';
import { raiseSessionBudget } from '@loom/db/session-budget';
import { inTransaction } from '@loom/db/transaction';
import { rememberTool } from '@loom/db/turn-approvals';
import { isDestructive } from '@loom/engine/approval-gate';
import { decideTask } from '@loom/engine/decide-task';
import { decideTurn } from '@loom/engine/decide-turn';
import { AppError } from '@loom/shared/app-error';
import type { Approval, ApprovalDecision, DecideApproval } from '@loom/shared/approval';
import { budgetSchema } from '@loom/shared/budget';
import type { Caller } from '@loom/shared/intake';
import type { Runtime } from './create-runtime.ts';

/** Answers a question once, for a task or for a turn; whoever comes second learns of the first answer. */
export async function decideApproval(
  runtime: Runtime,
  caller: Caller,
  id: string,
  input: DecideApproval,
): Promise<Approval> {
  const { db } = runtime;
  const { tenant_id } = caller;
  const asked = await getApproval(db, { tenant_id, approval_id: id });
  if (asked === null) throw new AppError('not_found', `There is no approval ${id}.`);
  const applied =
    asked.status === 'pending' &&
    (asked.task_id === null
      ? await decideForTurn(runtime, caller, asked, input)
      : await decideForTask(runtime, caller, asked, asked.task_id, input));
  const approval = (await getApproval(db, { tenant_id, approval_id: id })) ?? asked;
  if (applied) return approval;
  const message =
    approval.status === 'expired'
      ? 'The time for this decision is over.'
      : `This was ${approval.status} before.`;
  throw new AppError('conflict', message, { details: { status: approval.status, approval } });
}

async function decideForTurn(
  runtime: Runtime,
  caller: Caller,
  asked: Approval,
  input: DecideApproval,
): Promise<boolean> {
  const result = await inTransaction(runtime.db, (client) =>
    decideTurnApproval(client, {
      tenant_id: caller.tenant_id,
      approval_id: asked.id,
      session_id: asked.session_id ?? '',
      decision: toDecision(caller, input),
      decide: decideTurn,
      alwaysAsks: isDestructive,
    }),
  );
  runtime.announce({ rings: result.rings, streams: result.streams, stopped: [] });
  return result.outcome === 'decided';
}

async function decideForTask(
  runtime: Runtime,
  caller: Caller,
  asked: Approval,
  task_id: string,
  input: DecideApproval,
): Promise<boolean> {
  const { tenant_id } = caller;
  const decision = toDecision(caller, input);
  const remember =
    decision.remember && asked.tool !== null && !isDestructive(asked.tool, asked.arguments);
  const raised = asked.kind === 'budget' ? raisedLimits(asked, input) : null;
  const { after, decided } = await inTransaction(runtime.db, async (client) => {
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
  });
  runtime.announce(after);
  return decided;
}

function toDecision(caller: Caller, input: DecideApproval): ApprovalDecision {
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
