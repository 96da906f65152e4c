import { sweepUnits } from '@loom/db/leases';
import type { Runtime } from './create-runtime.ts';
import { repeat } from './repeat.ts';

/** Rings again for what is stranded: silent owners, lost rings. Any number of sweepers may run. */
export function startSweeper(runtime: Runtime): { stop(): Promise<void> } {
  const { ring_again_seconds, sweep_interval_seconds } = runtime.config.execution;
  return repeat(sweep_interval_seconds * 1_000, runtime.logger, async () => {
    const rings = await sweepUnits(runtime.db, ring_again_seconds);
    if (rings.length > 0) runtime.ringer.ring(rings);
  });
}
