import { addDiscoveries } from '@loom/shared/discoveries';
import type { DoubtfulCall, TaskCourse } from '@loom/shared/task-state';
import { firstLine } from '@loom/shared/text';
import type { LedgerEntry } from '@loom/shared/work';

/** Calls in doubt that a task remembers; the newest are of use to whoever looks into them. */
const maxInDoubt = 50;
const maxShown = 200;

/** A task's course with what the whole task should know of these calls: discoveries, and what is in doubt. */
export function noteCalls(
  course: TaskCourse,
  subtaskId: string | null,
  ledger: readonly LedgerEntry[],
): TaskCourse {
  if (subtaskId === null) return course;
  const found = ledger.filter(
    ({ tool, status }) => tool === 'record_discovery' && status === 'done',
  );
  const doubtful = ledger.filter(({ status }) => status === 'in_doubt');
  if (found.length + doubtful.length === 0) return course;
  const calls = doubtful.map((entry) => toDoubtful(subtaskId, entry));
  return {
    ...course,
    discoveries: addDiscoveries(course.discoveries, subtaskId, found.flatMap(summaryOf)),
    in_doubt: [...course.in_doubt, ...calls].slice(-maxInDoubt),
  };
}

/** The files that a task changed, with those of these calls: also of an attempt that never comes to its end. */
export function noteFiles(known: string[], ledger: readonly LedgerEntry[]): string[] {
  const fresh = ledger.flatMap(({ changes }) => changes.map(({ path }) => path));
  if (fresh.every((path) => known.includes(path))) return known;
  return [...new Set([...known, ...fresh])].sort();
}

function summaryOf({ arguments: input }: LedgerEntry): string[] {
  const { summary } = fieldsOf(input);
  return typeof summary === 'string' ? [summary] : [];
}

function toDoubtful(
  subtask_id: string,
  { key, tool, arguments: input }: LedgerEntry,
): DoubtfulCall {
  const { path, source, command, url } = fieldsOf(input);
  const about = [path, source, command, url].find((value) => typeof value === 'string');
  const shown = firstLine(String(about ?? JSON.stringify(input)), maxShown);
  return { key, subtask_id, tool, shown };
}

function fieldsOf(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
}
