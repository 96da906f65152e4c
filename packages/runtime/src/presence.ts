import { beatWorkers, removeWorkers, type WorkerBeat } from '@loom/db/worker-presence';
import { type QueueName, queueRoles, workerRoles } from '@loom/shared/queues';
import type { Runtime } from './create-runtime.ts';
import { repeat } from './repeat.ts';

const beatMs = 3_000;

/** Shows operators that this process's roles live, one line a role. */
export function startPresence(runtime: Runtime, queues: QueueName[]): { stop(): Promise<void> } {
  const { slots, id, host, db } = runtime;
  const beats = (): WorkerBeat[] =>
    workerRoles.flatMap((role) => {
      const mine = queues.filter((queue) => queueRoles[queue] === role);
      if (mine.length === 0) return [];
      const sum = (count: (queue: QueueName) => number) =>
        mine.reduce((total, queue) => total + count(queue), 0);
      const [active, concurrency] = [sum(slots.active), sum(slots.capacity)];
      return [{ id: `${id}-${role}`, role, host, active, concurrency }];
    });
  const beating = repeat(beatMs, runtime.logger, () => beatWorkers(db, beats()));
  return {
    stop: async () => {
      await beating.stop();
      await removeWorkers(
        db,
        beats().map((beat) => beat.id),
      );
    },
  };
}
