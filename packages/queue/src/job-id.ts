import type { Ring } from '@loom/shared/queues';

/** One id per unit and epoch, so that a unit rung twice is one job as long as the first one waits. */
export function jobId({ queue, unit_id, epoch }: Omit<Ring, 'tenant_id'>): string {
  return `${queue}-${unit_id}-${epoch}`;
}
