import { findDueTasks, sweepUnits } from '@loom/db/leases';
import type { Runtime } from './create-runtime.ts';
import { repeat } from './repeat.ts';

/**
 * Rings again for what is stranded (silent owners, lost rings), wakes what parked until now, and
 * tells tasks that time has passed. Any number of sweepers may run.
 */
export function startSweeper(runtime: Runtime): { stop(): Promise<void> } {
  const { ring_again_seconds, sweep_interval_seconds } = runtime.config.execution;
  return repeat(sweep_interval_seconds * 1_000, runtime.logger, async () => {
    const rings = await sweepUnits(runtime.db, ring_again_seconds);
    if (rings.length > 0) runtime.ringer.ring(rings);
    const due = await findDueTasks(runtime.db);
    const input = { kind: 'time_passed' } as const;
    await Promise.all(
      due.map((task) => runtime.committer.add({ kind: 'control', ...task, input })),
    );
  });
}
