import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from '../database.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { type DeliveryAttempt, endCutOff } from './delivery.ts';
import { writeDelivery } from './lock-delivery.ts';

interface ClaimDelivery {
  unit_id: string;
  epoch: number;
  owner: string;
  lease_seconds: number;
  max_starts: number;
}

type DeliveryClaim =
  | { outcome: 'claimed'; unit: ClaimedUnit }
  | { outcome: 'dead'; reason: string }
  | { outcome: 'refused' };

interface WaitingUnit {
  tenant_id: string;
  task_id: string | null;
  session_id: string | null;
  starts: number;
  last_error: string | null;
  attempts: DeliveryAttempt[];
}

/** Takes a delivery up, if it still waits in this epoch. */
export async function claimDelivery(db: Database, params: ClaimDelivery): Promise<DeliveryClaim> {
  const { unit_id, epoch, owner, lease_seconds } = params;
  return inTransaction(db, async (client): Promise<DeliveryClaim> => {
    const { rows } = await client.query<WaitingUnit>({
      name: 'find-waiting-delivery',
      text: `SELECT u.tenant_id, u.task_id, u.session_id, u.starts, u.last_error, d.attempts
        FROM units u JOIN deliveries d ON d.id = u.id
        WHERE u.id = $1 AND u.epoch = $2 AND u.status = 'waiting' FOR UPDATE`,
      values: [unit_id, epoch],
    });
    const unit = rows[0];
    if (unit === undefined) return { outcome: 'refused' };
    if (unit.starts >= params.max_starts) return giveUp(client, unit_id, unit);
    await client.query({
      name: 'claim-delivery',
      text: `UPDATE units SET status = 'claimed', epoch = epoch + 1, starts = starts + 1, owner = $2,
          lease_until = now() + $3 * interval '1 second', updated_at = now(),
          available_at = NULL, parked_for = NULL, parked_at = NULL
        WHERE id = $1`,
      values: [unit_id, owner, lease_seconds],
    });
    return {
      outcome: 'claimed',
      unit: {
        unit_id,
        epoch: epoch + 1,
        queue: 'deliveries',
        tenant_id: unit.tenant_id,
        task_id: unit.task_id,
        subtask_id: null,
        attempt: null,
        session_id: unit.session_id,
        turn_id: null,
        metered: false,
      },
    };
  });
}

async function giveUp(
  client: Transaction,
  id: string,
  { starts, last_error, attempts }: WaitingUnit,
): Promise<DeliveryClaim> {
  const cause = last_error === null ? '' : `: ${last_error}`;
  const reason = `started ${starts} times without progress${cause}`;
  await Promise.all([
    client.query(
      `UPDATE units SET status = 'dead', dead_reason = $2, updated_at = now() WHERE id = $1`,
      [id, reason],
    ),
    writeDelivery(client, id, { status: 'failed', attempts: endCutOff(attempts) }),
  ]);
  return { outcome: 'dead', reason };
}
