import { setTimeout as sleep } from 'node:timers/promises';

interface TryScope {
  signal: AbortSignal;
  timedOut(): boolean;
  close(): void;
}

/**
 * Bounds one try by the caller's signal and by time; must be closed. Not `AbortSignal.any`: on Node 20 it keeps every derived
 * signal alive as long as the caller's signal.
 */
export function openTryScope(caller: AbortSignal | undefined, timeoutMs: number): TryScope {
  const controller = new AbortController();
  let late = false;
  const stop = () => controller.abort(caller?.reason);
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, timeoutMs);
  if (caller?.aborted) stop();
  else caller?.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    timedOut: () => late,
    close() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', stop);
    },
  };
}

/** Waits, but not longer than the caller wants the result. */
export async function waitUnlessAborted(delayMs: number, signal: AbortSignal | undefined) {
  await sleep(delayMs, undefined, { signal }).catch(() => undefined);
}
