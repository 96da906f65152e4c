import { setTimeout as delay } from 'node:timers/promises';
import type { LoomProcess } from '@loom/testing/processes';

const beatMs = 250;
const patienceMs = 3_000;

/**
 * Does what an init system does while something runs: starts again what ended, and kills what has
 * stopped answering. Also tells how often it had to.
 */
export async function supervise<T>(
  processes: readonly LoomProcess[],
  work: () => Promise<T>,
): Promise<{ result: T; restarts: number }> {
  let restarts = 0;
  let isOver = false;
  const watch = async (one: LoomProcess): Promise<void> => {
    while (!isOver) {
      if (one.isRunning && (await isAnswering(one.url))) {
        await delay(beatMs);
      } else {
        restarts += 1;
        await one.restart();
      }
    }
  };
  const watching = Promise.all(processes.map(watch));
  try {
    return { result: await work(), restarts };
  } finally {
    isOver = true;
    await watching;
  }
}

/** False only after a long silence: a busy machine answers late. */
async function isAnswering(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(patienceMs) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
