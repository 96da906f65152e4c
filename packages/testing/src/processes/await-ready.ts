import { setTimeout as delay } from 'node:timers/promises';
import type { ExitStatus } from '../processes.ts';

/** Waits until `/readyz` answers 200; fails at once when the process ends before that. */
export async function awaitReady(options: {
  url: string;
  exited: Promise<ExitStatus>;
  timeoutMs: number;
}): Promise<void> {
  let ended: ExitStatus | null = null;
  options.exited.then((status) => {
    ended = status;
  });
  const deadline = Date.now() + options.timeoutMs;
  let last = 'no answer yet';
  while (ended === null && Date.now() < deadline) {
    try {
      const response = await fetch(`${options.url}/readyz`, { signal: AbortSignal.timeout(5_000) });
      if (response.status === 200) {
        await response.body?.cancel();
        return;
      }
      last = `/readyz answered ${response.status}: ${await response.text()}`;
    } catch (error) {
      last = String(error);
    }
    await delay(50);
  }
  throw new Error(ended === null ? last : `it ended with ${JSON.stringify(ended)}`);
}
