import { faultPoint } from '@loom/shared/fault-point';
import type { Logger } from '@loom/shared/logger';
import { jobPayloadSchema, type QueueName, queueNames, type Ring } from '@loom/shared/queues';
import { jobId } from './job-id.ts';
import type { JobQueue, QueueBackend } from './queue-backend.ts';

/** Rings for units that became runnable. Never throws and never blocks: a lost ring is rung again by the sweeper. */
export interface Ringer {
  ring(rings: Ring[]): void;
  queue(name: QueueName): JobQueue;
  close(): Promise<void>;
}

export function createRinger(backend: QueueBackend, logger: Logger): Ringer {
  const queues = new Map<QueueName, JobQueue>();
  const underWay = new Set<Promise<void>>();

  const queue = (name: QueueName): JobQueue => {
    const open = queues.get(name) ?? backend.openQueue(name);
    queues.set(name, open);
    return open;
  };

  const add = async (name: QueueName, rings: Ring[]): Promise<void> => {
    try {
      await queue(name).addBulk(
        rings.map((ring) => ({
          name,
          data: jobPayloadSchema.parse({ unit_id: ring.unit_id, epoch: ring.epoch }),
          opts: { jobId: jobId(ring) },
        })),
      );
      faultPoint('ring.after');
    } catch (err) {
      logger.warn({ err, queue: name, rings: rings.length }, 'not rung; the sweeper will');
    }
  };

  return {
    ring(rings) {
      for (const name of queueNames) {
        const mine = rings.filter((ring) => ring.queue === name);
        if (mine.length === 0) continue;
        const adding = add(name, mine).finally(() => underWay.delete(adding));
        underWay.add(adding);
      }
    },
    queue,
    close: async () => {
      await Promise.allSettled(underWay);
      await Promise.allSettled([...queues.values()].map((open) => open.close()));
    },
  };
}
