import { sweepArtifacts } from '@loom/db/artifacts/sweep-artifacts';
import type { Runtime } from './create-runtime.ts';
import { repeat } from './repeat.ts';

const everyFewMinutes = 300_000;

/** Removes artifacts beyond their retention, every few minutes. Any number of sweepers may run. */
export function startArtifactSweeper(
  runtime: Runtime,
  intervalMs = everyFewMinutes,
): { stop(): Promise<void> } {
  const { db, logger } = runtime;
  const { runner } = runtime.config.limits;
  const sweep = async () => {
    const swept = await sweepArtifacts(db, {
      max_age_days: runner.ingest_artifact_retention_max_age_days,
      max_files_per_scope: runner.ingest_artifact_retention_max_files_per_scope,
      max_bytes_per_scope: runner.ingest_artifact_retention_max_bytes_per_scope,
    });
    if (swept.artifacts > 0) logger.info(swept, 'artifacts beyond their retention were removed');
  };
  // A process that has just started has better things to do.
  return repeat(intervalMs, logger, sweep, { waits: true });
}
