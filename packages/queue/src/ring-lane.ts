import { faultPoint } from '@loom/shared/fault-point';
import type { Logger } from '@loom/shared/logger';
import { type JobPayload, jobPayloadSchema, type QueueName, type Ring } from '@loom/shared/queues';
import { FairOrder, type QueueLine } from './fair-order.ts';
import { jobId } from './job-id.ts';

/** How old the knowledge of what waits may be; meanwhile newcomers join a little too far in front. */
const lookEveryMs = 100;
const mostAtOnce = 500;
/** Rings held back while the queue's server does not answer; the sweeper rings for the rest. */
export const mostPending = 20_000;

/** A ring as the queue library takes it. */
export interface RingJob {
  name: QueueName;
  data: JobPayload;
  opts: { jobId: string; priority: number };
}

interface LaneOptions {
  name: QueueName;
  addJobs(jobs: RingJob[]): Promise<unknown>;
  readLine(): Promise<QueueLine | null>;
  logger: Logger;
}

/** Puts rings on one queue in fair order. The first leaves at once; what comes meanwhile leaves together. */
export function createRingLane({ name, addJobs, readLine, logger }: LaneOptions) {
  const order = new FairOrder();
  const pending: Ring[] = [];
  let sending: Promise<void> | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const send = async (rings: Ring[]): Promise<void> => {
    if (performance.now() - lookedAt > lookEveryMs) {
      order.observe(await readLine());
      lookedAt = performance.now();
    }
    const jobs = rings.map((ring) => ({
      name,
      data: jobPayloadSchema.parse({ unit_id: ring.unit_id, epoch: ring.epoch }),
      opts: { jobId: jobId(ring), priority: order.stamp(ring.tenant_id, jobId(ring)) },
    }));
    await addJobs(jobs);
    faultPoint('ring.after');
  };

  const pump = async (): Promise<void> => {
    while (pending.length > 0) {
      const rings = pending.splice(0, mostAtOnce);
      try {
        await send(rings);
      } catch (err) {
        logger.warn({ err, queue: name, rings: rings.length }, 'not rung; the sweeper will');
      }
    }
    sending = null;
  };

  return {
    add(rings: Ring[]): void {
      pending.push(...rings.slice(0, mostPending - pending.length));
      sending ??= Promise.resolve().then(pump);
    },
    idle: async (): Promise<void> => {
      while (sending !== null) await sending;
    },
  };
}
