import type { Logger } from '@loom/shared/logger';

/** Does something at once and then over and over, with a pause between; a failure is logged and tried again. */
export function repeat(
  pauseMs: number,
  logger: Logger,
  work: () => Promise<void>,
  /** Whether the first time comes after a pause, too. */
  { waits = false }: { waits?: boolean } = {},
): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();

  const round = async (): Promise<void> => {
    try {
      await work();
    } catch (err) {
      if (!stopped) logger.warn({ err }, 'background work failed; it will be tried again');
    }
    if (!stopped) schedule();
  };
  const schedule = (): void => {
    timer = setTimeout(() => {
      running = round();
    }, pauseMs);
  };
  if (waits) schedule();
  else running = round();

  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
