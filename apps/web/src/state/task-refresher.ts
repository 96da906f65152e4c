import type { Task } from '@loom/shared/api';
import { fetchTask } from '../http/gateway.ts';

const refreshDelayMs = 150;

/** Reads tasks again on demand: many requests for one task in a short time make one call. */
export function createTaskRefresher(
  onTask: (task: Task) => void,
  signal: AbortSignal,
): (taskId: string) => void {
  const scheduled = new Set<string>();
  return (taskId) => {
    if (scheduled.has(taskId)) return;
    scheduled.add(taskId);
    setTimeout(async () => {
      scheduled.delete(taskId);
      if (signal.aborted) return;
      // A failed reading is made good by the next event, or by the reload after a lost stream.
      const task = await fetchTask(taskId, signal).catch(() => null);
      if (task && !signal.aborted) onTask(task);
    }, refreshDelayMs);
  };
}
