import { decideTurnApproval } from '@loom/db/decide-turn-approval';
import { getApproval } from '@loom/db/read/approvals';
import { inTransaction } from '@loom/db/transaction';
import { isDestructive } from '@loom/engine/approval-gate';
import { decideTurn } from '@loom/engine/decide-turn';
import { AppError } from '@loom/shared/app-error';
import type { Approval, DecideApproval } from '@loom/shared/approval';
import type { Caller } from '@loom/shared/intake';
import type { Runtime } from './create-runtime.ts';
import { decideTaskApproval, toDecision } from './decide-task-approval.ts';

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
  const { after, decided } = await inTransaction(runtime.db, (client) =>
    decideTaskApproval(client, { runtime, caller, asked, task_id, input }),
  );
  runtime.announce(after);
  return decided;
}
