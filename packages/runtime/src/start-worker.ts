import { claimTurn } from '@loom/db/claim-turn';
import { claimChange } from '@loom/db/commit-tasks';
import { claimDelivery } from '@loom/db/deliveries/claim-delivery';
import { releaseUnit } from '@loom/db/leases';
import { claimExtraction } from '@loom/db/memory/claim-extraction';
import { ownerOfUnit } from '@loom/db/unit-ids';
import { decideTurn } from '@loom/engine/decide-turn';
import { type Consumer, consumeQueue, type JobOutcome } from '@loom/queue/consume';
import { errorMessage } from '@loom/shared/app-error';
import { faultPoint } from '@loom/shared/fault-point';
import type { JobPayload, QueueName } from '@loom/shared/queues';
import type { ClaimedUnit } from '@loom/shared/work';
import { startArtifactSweeper } from './artifact-sweeper.ts';
import type { Runtime } from './create-runtime.ts';
import { startPresence } from './presence.ts';
import { startSweeper } from './sweeper.ts';
import { createUnitContext, type UnitContext } from './unit-context.ts';
import { LostUnit, UnitYield } from './unit-yield.ts';

/** Works on one claimed unit until it is finished, parked, or given back by throwing. */
export type UnitHandler = (unit: ClaimedUnit, context: UnitContext) => Promise<void>;

export type UnitHandlers = Partial<Record<QueueName, UnitHandler>>;

export interface Worker {
  /** Takes no new work, lets running units finish or reach a boundary, then gives them back. */
  stop(): Promise<void>;
}

type Claim =
  | { outcome: 'claimed'; unit: ClaimedUnit }
  | { outcome: 'dead'; reason: string }
  | { outcome: 'refused' | 'applied' };

/** Serves the queues that handlers are given for: claim, work, and give back what cannot be finished. */
export function startWorker(runtime: Runtime, handlers: UnitHandlers): Worker {
  const { keeper, slots, logger, config } = runtime;
  const queues = (Object.keys(handlers) as QueueName[]).filter((queue) => handlers[queue]);

  const execute = async (unit: ClaimedUnit, lockLost?: AbortSignal): Promise<void> => {
    const hold = keeper.hold(unit);
    const onLockLost = () => keeper.yield(unit.unit_id);
    lockLost?.addEventListener('abort', onLockLost, { once: true });
    // The job may have waited for a place longer than its lock lasted.
    if (lockLost?.aborted) onLockLost();
    try {
      await handlers[unit.queue]?.(unit, createUnitContext(hold, runtime.committer));
    } catch (error) {
      if (!(error instanceof LostUnit) && !hold.lost()) {
        // Whatever an aborted handler throws, it did not fail: it was told to stop.
        const aborted = hold.signals.abort.aborted && !(error instanceof UnitYield);
        await giveBack(runtime, unit, aborted ? new UnitYield('aborted') : error);
      }
    } finally {
      lockLost?.removeEventListener('abort', onLockLost);
      keeper.drop(unit);
      slots.give(unit.queue);
    }
  };

  const handle = async (
    queue: QueueName,
    payload: JobPayload,
    lockLost: AbortSignal,
  ): Promise<JobOutcome> => {
    await slots.take(queue);
    let claim: Claim;
    try {
      claim = await claimUnit(runtime, payload);
    } catch (error) {
      slots.give(queue);
      throw error;
    }
    if (claim.outcome !== 'claimed') {
      slots.give(queue);
      return claim.outcome === 'dead'
        ? { kind: 'dead', reason: claim.reason }
        : { kind: 'handled' };
    }
    faultPoint('claim.after');
    await execute(claim.unit, lockLost);
    return { kind: 'handled' };
  };

  runtime.onClaimed((unit) => void execute(unit));
  const consumers: Consumer[] = queues.map((queue) =>
    consumeQueue({
      backend: runtime.backend,
      queue,
      concurrency: slots.capacity(queue),
      lock_ms: config.execution.lease_seconds * 1_000,
      logger,
      handle: (payload, signal) => handle(queue, payload, signal),
    }),
  );
  const sweeper = startSweeper(runtime);
  const artifactSweeper = startArtifactSweeper(runtime);
  const presence = startPresence(runtime, queues);

  return {
    stop: async () => {
      await Promise.all(consumers.map((consumer) => consumer.pause()));
      keeper.drain();
      const graceMs = config.execution.grace_seconds * 1_000;
      const late = setTimeout(() => keeper.abortAll('the grace period is over'), graceMs * 0.7);
      await keeper.idle();
      clearTimeout(late);
      await sweeper.stop();
      await artifactSweeper.stop();
      await presence.stop();
      await Promise.all(consumers.map((consumer) => consumer.close()));
    },
  };
}

async function claimUnit(runtime: Runtime, { unit_id, epoch }: JobPayload): Promise<Claim> {
  const change = claimChange(unit_id, epoch);
  if (change !== null) return runtime.committer.add(change);
  const { lease_seconds, max_starts } = runtime.config.execution;
  const { kind } = ownerOfUnit(unit_id);
  const params = { unit_id, epoch, owner: runtime.id, lease_seconds, max_starts };
  if (kind === 'delivery') return claimDelivery(runtime.db, params);
  if (kind === 'extraction') return claimExtraction(runtime.db, params);
  const claim = await claimTurn(runtime.db, {
    turn_id: unit_id,
    epoch,
    owner: runtime.id,
    lease_seconds,
    max_starts,
    decide: decideTurn,
  });
  const streams = claim.session_id === null ? [] : [claim.session_id];
  runtime.announce({ rings: claim.rings, streams, stopped: [] });
  return claim;
}

/** A unit that was not finished waits again. After an error it is left to the sweeper, which is the back-off. */
async function giveBack(runtime: Runtime, unit: ClaimedUnit, error: unknown): Promise<void> {
  const { db, logger, ringer } = runtime;
  const yielded = error instanceof UnitYield;
  if (!yielded) logger.error({ err: error, unit: unit.unit_id }, 'a unit of work failed');
  try {
    const reason = { error: yielded ? null : errorMessage(error), counts_as_start: !yielded };
    const ring = await releaseUnit(db, unit, reason);
    if (ring !== null && yielded) ringer.ring([ring]);
  } catch (err) {
    logger.warn({ err, unit: unit.unit_id }, 'a unit was not given back; its lease will run out');
  }
}
