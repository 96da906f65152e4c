import type { QueueName } from '@loom/shared/queues';

/** How many units of each queue this process works on at once. */
export interface Slots {
  /** Waits for a place for a job that was taken off the queue. */
  take(queue: QueueName): Promise<void>;
  /**
   * Takes a place only if one is free and no job waits for it: work that follows on here
   * never starves what others have queued.
   */
  tryTake(queue: QueueName): boolean;
  give(queue: QueueName): void;
  active(queue: QueueName): number;
  capacity(queue: QueueName): number;
}

export function createSlots(capacities: Partial<Record<QueueName, number>>): Slots {
  const active = new Map<QueueName, number>();
  const waiting = new Map<QueueName, (() => void)[]>();
  const capacity = (queue: QueueName) => capacities[queue] ?? 0;
  const count = (queue: QueueName) => active.get(queue) ?? 0;

  return {
    take: async (queue) => {
      if (count(queue) < capacity(queue)) {
        active.set(queue, count(queue) + 1);
        return;
      }
      await new Promise<void>((resolve) => {
        waiting.set(queue, [...(waiting.get(queue) ?? []), resolve]);
      });
    },
    tryTake: (queue) => {
      // While a job waits no place is free: each passes straight to a waiting one.
      if (count(queue) >= capacity(queue)) return false;
      active.set(queue, count(queue) + 1);
      return true;
    },
    give: (queue) => {
      // The place passes straight to the job that has waited longest.
      const next = waiting.get(queue)?.shift();
      if (next === undefined) active.set(queue, count(queue) - 1);
      else next();
    },
    active: count,
    capacity,
  };
}
