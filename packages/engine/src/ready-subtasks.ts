import { isActiveSubtask } from '@loom/shared/statuses';
import type { SubtaskState } from '@loom/shared/task-state';

/** Pending subtasks whose dependencies are all completed; a synthesis waits for every other one. */
export function readySubtasks(subtasks: readonly SubtaskState[]): SubtaskState[] {
  const completed = new Set(
    subtasks.filter(({ status }) => status === 'completed').map(({ id }) => id),
  );
  const workDone = subtasks.every((one) => one.spec.is_synthesis || one.status === 'completed');
  return subtasks.filter(
    (one) =>
      one.status === 'pending' &&
      one.spec.depends_on.every((id) => completed.has(id)) &&
      (!one.spec.is_synthesis || workDone),
  );
}

/** Pending subtasks that can never become ready, each with the reason. */
export function unreachableSubtasks(
  subtasks: readonly SubtaskState[],
): { subtask: SubtaskState; reason: string }[] {
  const lost = new Set<string>();
  for (const { id, status } of subtasks) {
    if (status === 'failed' || status === 'skipped' || status === 'blocked') lost.add(id);
  }
  const found: { subtask: SubtaskState; reason: string }[] = [];
  for (let grew = true; grew; ) {
    grew = false;
    for (const subtask of subtasks) {
      if (subtask.status !== 'pending' || lost.has(subtask.id)) continue;
      const causes = subtask.spec.is_synthesis
        ? subtasks.filter((one) => !one.spec.is_synthesis && lost.has(one.id)).map(({ id }) => id)
        : subtask.spec.depends_on.filter((id) => lost.has(id));
      if (causes.length === 0) continue;
      lost.add(subtask.id);
      found.push({ subtask, reason: `waits for ${causes.join(', ')}, which will not complete` });
      grew = true;
    }
  }
  return found;
}

/** Whether a pending subtask waits for a person or an instant rather than for other subtasks. */
export function isHeldBack({ trail }: SubtaskState, now: number): boolean {
  return trail.held || (trail.not_before !== null && trail.not_before > now);
}

/**
 * Which ready subtasks may start now: at most `max_parallel` at once, and never two
 * that declare the same deliverable.
 */
export function pickStartable(
  subtasks: readonly SubtaskState[],
  maxParallel: number,
  now: number,
): { start: SubtaskState[]; deferred: SubtaskState[] } {
  const active = subtasks.filter(({ status }) => isActiveSubtask(status));
  const written = writtenBy(active);
  // What an attempt may still write that the plan has left behind is not known any more.
  const unsure = active.some(({ trail }) => trail.superseded);
  const start: SubtaskState[] = [];
  const deferred: SubtaskState[] = [];
  for (const subtask of readySubtasks(subtasks)) {
    if (active.length + start.length >= maxParallel) break;
    if (isHeldBack(subtask, now)) continue;
    const deliverables = subtask.spec.deliverables.map(canonicalPath);
    if (unsure && deliverables.length > 0) continue;
    if (deliverables.some((path) => written.has(path))) {
      deferred.push(subtask);
      continue;
    }
    for (const path of deliverables) written.add(path);
    start.push(subtask);
  }
  return { start, deferred };
}

/** Whether none of these promises a file that this subtask promises as well. */
export function isWritable({ spec }: SubtaskState, active: readonly SubtaskState[]): boolean {
  const written = writtenBy(active);
  return !spec.deliverables.some((path) => written.has(canonicalPath(path)));
}

function writtenBy(active: readonly SubtaskState[]): Set<string> {
  return new Set(active.flatMap(({ spec }) => spec.deliverables.map(canonicalPath)));
}

// "./a.md" and "a.md" are one file; so are "a//b" and "a/b", "a/../b" and "b".
function canonicalPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
