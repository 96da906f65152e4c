import { findUnit } from '@loom/db/find-unit';
import type { Identity } from '@loom/db/read/api-keys';
import { AppError } from '@loom/shared/app-error';
import type { QueueAdmin } from '@loom/shared/queue-admin';
import type { QueueName } from '@loom/shared/queues';
import { visibleTenant } from './access.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { notFound } from './route.ts';

type RetryDeps = Pick<GatewayParts, 'db' | 'intake' | 'queueAdmin'>;

/** Brings one dead letter back as a new attempt, once; who did it stands in the audit log. */
export async function retryDeadUnit(
  { db, intake, queueAdmin }: RetryDeps,
  identity: Identity,
  unitId: string,
  via: string,
): Promise<{ unit_id: string }> {
  const unit = await findUnit(db, { tenant_id: visibleTenant(identity), id: unitId });
  if (unit === null) throw notFound('dead letter');
  if (unit.status !== 'dead') {
    throw new AppError('conflict', `This unit is ${unit.status}, not dead: nothing to retry.`);
  }
  const caller = { tenant_id: unit.tenant_id, actor: identity.key_id };
  const retried = await intake.retryUnit(caller, unitId, via);
  if (retried === null) throw notFound('dead letter');
  await removeFailedJobs(queueAdmin, unit.queue, new Set([unitId]));
  return retried;
}

const pageSize = 200;
const maxJobs = 10_000;

/** Takes the failed jobs of units that were dealt with out of sight. */
async function removeFailedJobs(
  queueAdmin: QueueAdmin,
  queue: QueueName,
  unitIds: ReadonlySet<string>,
): Promise<void> {
  const ids: string[] = [];
  for (let offset = 0; offset < maxJobs; offset += pageSize) {
    const jobs = await queueAdmin.jobs(queue, 'failed', offset, pageSize);
    ids.push(...jobs.filter(({ unit_id }) => unitIds.has(unit_id)).map(({ id }) => id));
    if (jobs.length < pageSize) break;
  }
  for (const id of ids) await queueAdmin.removeJob(queue, id);
}
