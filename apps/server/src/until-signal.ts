import type { Logger } from '@loom/shared/logger';

/**
 * Waits for SIGINT or SIGTERM, then stops. A stop that takes longer than the grace period ends
 * the process all the same.
 */
export async function untilSignal(options: {
  stop(): Promise<void>;
  grace_ms: number;
  logger: Logger;
}): Promise<void> {
  await new Promise<void>((resolve) => {
    let asked = false;
    const onSignal = (): void => {
      // Ctrl-C reaches a process twice when its parent passes it on.
      if (asked) return;
      asked = true;
      resolve();
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
  const late = setTimeout(() => {
    options.logger.error('stopping took longer than the grace period');
    process.exit(1);
  }, options.grace_ms);
  late.unref();
  await options.stop();
  process.exit(0);
}
