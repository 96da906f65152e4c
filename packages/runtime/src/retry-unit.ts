import { commitTaskInput } from '@loom/db/commit-tasks';
import { retryDelivery } from '@loom/db/deliveries/retry-delivery';
import { closeDeadUnit, findUnit } from '@loom/db/find-unit';
import { appendAudit } from '@loom/db/read/audit';
import { inTransaction } from '@loom/db/transaction';
import { decideTask } from '@loom/engine/decide-task';
import { AppError } from '@loom/shared/app-error';
import type { Caller } from '@loom/shared/intake';
import type { Runtime } from './create-runtime.ts';

/** A dead letter comes back as a new attempt of what it was part of; two operators get one attempt. */
export async function retryUnit(
  runtime: Runtime,
  caller: Caller,
  unitId: string,
  /** By which way the request came, for the audit log. */
  via: string,
): Promise<{ unit_id: string } | null> {
  const { tenant_id } = caller;
  const unit = await findUnit(runtime.db, { tenant_id, id: unitId });
  if (unit === null) return null;
  const { task_id, subtask_id } = unit;
  const audit = { ...caller, action: 'unit.retry', target: unitId, detail: { via } };
  if (unit.queue === 'deliveries') {
    const ring = await inTransaction(runtime.db, async (client) => {
      const retried = await retryDelivery(client, { tenant_id, id: unitId });
      if (retried === null) throw notDead(unit.status);
      await appendAudit(client, audit);
      return retried;
    });
    runtime.ringer.ring([ring]);
    return { unit_id: unitId };
  }
  if (task_id === null) {
    throw new AppError(
      'conflict',
      'A turn is not retried: send the message again to start a new one.',
    );
  }
  const { after } = await inTransaction(runtime.db, async (client) => {
    const by = caller.actor;
    const input = { kind: 'retry_requested', by, subtask_id, reuse_plan: true } as const;
    const change = { kind: 'control', task_id, tenant_id, input } as const;
    const committed = await commitTaskInput(client, change, decideTask);
    // Under the task's lock: of two operators, the second finds nothing dead any more.
    if (!(await closeDeadUnit(client, unitId))) throw notDead(unit.status);
    await appendAudit(client, audit);
    return committed;
  });
  runtime.announce(after);
  return { unit_id: unitId };
}

function notDead(status: string): AppError {
  const message =
    status === 'dead'
      ? 'Someone else has just retried this dead letter.'
      : `The unit is ${status}; only a dead one can be retried.`;
  return new AppError('conflict', message, { details: { status } });
}
