import type { Config } from '@loom/shared/config';
import { type QueueName, queueNames, queueRoles, type ServiceRole } from '@loom/shared/queues';

/** How many units of each queue a process with these roles works on at once. */
export function capacitiesOf(
  { limits }: Config,
  roles: readonly ServiceRole[],
): Partial<Record<QueueName, number>> {
  const all: Partial<Record<QueueName, number>> = {
    turns: limits.runner.turns_concurrency,
    plans: limits.planner.concurrency,
    subtasks: limits.runner.subtasks_concurrency,
    verifications: limits.verifier.concurrency,
    deliveries: limits.runner.deliveries_concurrency,
  };
  const mine = queueNames.filter((queue) => roles.includes(queueRoles[queue]));
  return Object.fromEntries(mine.map((queue) => [queue, all[queue]]));
}
