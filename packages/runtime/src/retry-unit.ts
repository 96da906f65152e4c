import { findUnit } from '@loom/db/find-unit';
import { AppError } from '@loom/shared/app-error';
import type { Caller } from '@loom/shared/intake';
import type { Runtime } from './create-runtime.ts';

/** A dead letter comes back as a new attempt of what it was part of; two operators get one attempt. */
export async function retryUnit(
  runtime: Runtime,
  caller: Caller,
  unitId: string,
): Promise<{ unit_id: string } | null> {
  const unit = await findUnit(runtime.db, { tenant_id: caller.tenant_id, id: unitId });
  if (unit === null) return null;
  if (unit.status !== 'dead' || unit.task_id === null) {
    throw new AppError('conflict', `The unit is ${unit.status}; only a dead one can be retried.`, {
      details: { status: unit.status },
    });
  }
  await runtime.committer.add({
    kind: 'control',
    task_id: unit.task_id,
    tenant_id: caller.tenant_id,
    input: { kind: 'retry_requested', by: caller.actor, subtask_id: unit.subtask_id },
  });
  return { unit_id: unitId };
}
