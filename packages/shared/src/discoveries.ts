import type { Discovery } from './task-state.ts';

/** What a task remembers at most: so many discoveries, so many characters of each. */
const maxDiscoveries = 50;
const maxSummary = 300;

/** The discoveries of a task with these of one subtask added, each once; the oldest give way. */
export function addDiscoveries(
  known: readonly Discovery[],
  subtask_id: string,
  found: readonly string[],
): Discovery[] {
  const all = [...known];
  for (const text of found) {
    const summary = text.slice(0, maxSummary).toWellFormed();
    const isKnown = all.some((one) => one.subtask_id === subtask_id && one.summary === summary);
    if (!isKnown) all.push({ subtask_id, summary });
  }
  return all.slice(-maxDiscoveries);
}
