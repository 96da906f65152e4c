import { setTimeout as delay } from 'node:timers/promises';
import type { QueueInfo } from '@loom/shared/queue-admin';

export type QueueCounts = () => Promise<Pick<QueueInfo, 'name' | 'counts'>[]>;

const unfinishedStates = ['waiting', 'prioritized', 'active', 'delayed'] as const;

/** (e) Nothing is left in a queue. A job is acknowledged after its commit, so it gets some time. */
export async function leftoverJobs(counts: QueueCounts, timeoutMs = 10_000): Promise<string[]> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const leftovers = (await counts()).flatMap((queue) =>
      unfinishedStates
        .filter((state) => queue.counts[state] > 0)
        .map((state) => `queue ${queue.name} has ${queue.counts[state]} ${state}`),
    );
    if (leftovers.length === 0 || Date.now() > deadline) return leftovers;
    await delay(50);
  }
}
