/** How long a tool may take to clean up after it was told to stop. */
const stopGraceMs = 1_000;

type BoundedRun<T> =
  | { outcome: 'finished'; value: T }
  | { outcome: 'threw'; error: unknown; stopped_by: 'timeout' | 'caller' | null }
  | { outcome: 'ignored_stop'; stopped_by: 'timeout' | 'caller' };

/**
 * Runs `work` with a signal that fires on the caller's abort or after `timeout_ms`,
 * and returns soon after that even when `work` ignores it. What did finish is told as finished.
 */
export async function runBounded<T>(
  work: (signal: AbortSignal) => Promise<T>,
  limits: { timeout_ms: number; signal: AbortSignal },
): Promise<BoundedRun<T>> {
  const controller = new AbortController();
  let stoppedBy: 'timeout' | 'caller' | null = null;
  let grace: NodeJS.Timeout | undefined;
  let giveUp: (run: BoundedRun<T>) => void = () => {};
  const gaveUp = new Promise<BoundedRun<T>>((resolve) => {
    giveUp = resolve;
  });
  const stop = (by: 'timeout' | 'caller') => {
    if (stoppedBy !== null) return;
    stoppedBy = by;
    controller.abort(by === 'caller' ? limits.signal.reason : undefined);
    grace = setTimeout(() => giveUp({ outcome: 'ignored_stop', stopped_by: by }), stopGraceMs);
  };
  const onAbort = () => stop('caller');
  const timer = setTimeout(() => stop('timeout'), limits.timeout_ms);
  limits.signal.addEventListener('abort', onAbort, { once: true });
  const settled = (async (): Promise<BoundedRun<T>> => {
    try {
      return { outcome: 'finished', value: await work(controller.signal) };
    } catch (error) {
      return { outcome: 'threw', error, stopped_by: stoppedBy };
    }
  })();
  try {
    return await Promise.race([settled, gaveUp]);
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    limits.signal.removeEventListener('abort', onAbort);
  }
}
