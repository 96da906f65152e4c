import type { Logger } from '@loom/shared/logger';
import { type QueueName, queueNames, type Ring } from '@loom/shared/queues';
import type { JobQueue, QueueBackend } from './queue-backend.ts';
import { createRingLane, type RingJob } from './ring-lane.ts';

/** Rings for units that became runnable. Never throws and never blocks: a lost ring is rung again by the sweeper. */
export interface Ringer {
  ring(rings: Ring[]): void;
  queue(name: QueueName): JobQueue;
  close(): Promise<void>;
}

/** On Postgres a bulk costs as much as some 15 single jobs (it makes temporary tables), on Redis about two. */
const bulkFrom = 16;

export function createRinger(backend: QueueBackend, logger: Logger): Ringer {
  const queues = new Map<QueueName, JobQueue>();
  const lanes = new Map<QueueName, ReturnType<typeof createRingLane>>();

  const queue = (name: QueueName): JobQueue => {
    const open = queues.get(name) ?? backend.openQueue(name);
    queues.set(name, open);
    return open;
  };

  const addJobs = (name: QueueName, jobs: RingJob[]): Promise<unknown> =>
    jobs.length >= bulkFrom
      ? queue(name).addBulk(jobs)
      : Promise.all(jobs.map(({ data, opts }) => queue(name).add(name, data, opts)));

  const openLane = (name: QueueName) =>
    createRingLane({
      name,
      addJobs: (jobs) => addJobs(name, jobs),
      readLine: () => backend.readLine(name),
      logger,
    });

  const lane = (name: QueueName) => {
    const open = lanes.get(name) ?? openLane(name);
    lanes.set(name, open);
    return open;
  };

  return {
    ring(rings) {
      for (const name of queueNames) {
        const mine = rings.filter((ring) => ring.queue === name);
        if (mine.length > 0) lane(name).add(mine);
      }
    },
    queue,
    close: async () => {
      await Promise.all([...lanes.values()].map((open) => open.idle()));
      await Promise.allSettled([...queues.values()].map((open) => open.close()));
    },
  };
}
