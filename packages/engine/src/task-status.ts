import type { EventType } from '@loom/shared/events';
import { isActiveSubtask, isTerminalTask, type TaskStatus } from '@loom/shared/statuses';
import type { TaskState } from '@loom/shared/task-state';
import { type Draft, taskEvent } from './draft.ts';
import { isHeldBack } from './ready-subtasks.ts';

/** What a task is called while it goes on: it awaits confirmation only when that is all it waits for. */
export function taskStatus(state: TaskState, now: number): TaskStatus {
  const { status, course, subtasks } = state;
  if (isTerminalTask(status)) return status;
  if (course.paused !== null) return 'paused';
  const asks = course.approvals.length > 0;
  if (state.plan_version === 0) {
    if (asks) return 'awaiting_confirmation';
    return status === 'queued' ? 'queued' : 'planning';
  }
  const works = subtasks.some(
    (subtask) =>
      (isActiveSubtask(subtask.status) && subtask.status !== 'awaiting_approval') ||
      (subtask.status === 'pending' && isHeldBack(subtask, now)),
  );
  return asks && !works && course.replan === null ? 'awaiting_confirmation' : 'running';
}

/** Logs an event that names what the task is called from here on. */
export function nameStatus(draft: Draft, type: EventType, data: Record<string, unknown>): void {
  const { state, context } = draft;
  state.status = taskStatus(state, context.now);
  taskEvent(draft, type, { ...data, status: state.status });
}

/** Brings the status in line with what the task does, and says so where people wait for it. */
export function settleStatus(draft: Draft): void {
  const { state, context } = draft;
  const before = state.status;
  const after = taskStatus(state, context.now);
  if (before === after) return;
  state.status = after;
  if (after === 'awaiting_confirmation') {
    const approvals = state.course.approvals.map(({ id }) => id);
    taskEvent(draft, 'task.confirmation_required', { approvals });
  } else if (before === 'awaiting_confirmation' && after !== 'paused') {
    taskEvent(draft, 'task.confirmation_received', { status: after });
  }
}

/** The next instant at which time alone changes something. */
export function nextInstant(state: TaskState, now: number): number | null {
  const next = firstInstant(state, now);
  return next === Infinity ? null : next;
}

/** Whether such an instant has come. */
export function isDue(state: TaskState, now: number): boolean {
  return firstInstant(state, -Infinity) <= now;
}

function firstInstant({ course, subtasks, status }: TaskState, after: number): number {
  let first = Infinity;
  if (isTerminalTask(status)) return first;
  const look = (instant: number | null) => {
    if (instant !== null && instant > after && instant < first) first = instant;
  };
  look(course.deadline);
  for (const { expires_at } of course.approvals) look(expires_at);
  for (const item of course.remediations) {
    if (item.status !== 'queued') continue;
    look(item.due_at);
    look(item.expires_at);
  }
  for (const subtask of subtasks) if (subtask.status === 'pending') look(subtask.trail.not_before);
  return first;
}
