import { isTerminalSubtask, isTerminalTask } from '@loom/shared/statuses';
import type { TaskInput } from '@loom/shared/task-state';
import { closeApproval } from '../approvals.ts';
import { type Draft, findSubtask, setCourse, setTrail, subtaskEvent, taskEvent } from '../draft.ts';
import { nameStatus } from '../task-status.ts';
import { raiseLimits } from './budget.ts';

/** Nothing new starts, and what is at work parks at its next boundary. Pausing twice changes nothing. */
export function pause(draft: Draft, subtaskId: string | null, by: string): void {
  const { state } = draft;
  if (isTerminalTask(state.status) || state.cancel_mode !== null) return;
  if (subtaskId !== null) {
    const subtask = findSubtask(draft, subtaskId);
    if (subtask === null || subtask.trail.held || isTerminalSubtask(subtask.status)) return;
    setTrail(subtask, { held: true });
    subtaskEvent(draft, 'subtask.paused', subtask, { by });
    return;
  }
  if (state.course.paused !== null) return;
  setCourse(draft, { paused: { by, reason: 'request', exhaustion: null } });
  taskEvent(draft, 'task.paused', { by, reason: 'request' });
}

/** What was paused goes on. A raised budget ends the question about it. */
export function resume(
  draft: Draft,
  { subtask_id, by, limits }: Extract<TaskInput, { kind: 'resume_requested' }>,
): void {
  const { state } = draft;
  if (isTerminalTask(state.status) || state.cancel_mode !== null) return;
  if (subtask_id !== null) {
    const subtask = findSubtask(draft, subtask_id);
    if (subtask === null || !subtask.trail.held) return;
    setTrail(subtask, { held: false });
    subtaskEvent(draft, 'subtask.resumed', subtask, { by });
    // One that waits for an answer is woken by the answer.
    const asked = state.course.approvals.some((open) => open.subtask_id === subtask_id);
    if (!asked) draft.wake.attempts.push({ subtask_id, attempt: subtask.attempts });
    draft.unsettled = true;
    return;
  }
  if (limits !== null) raiseLimits(draft, limits, by);
  if (state.course.paused === null) return;
  for (const open of state.course.approvals.filter(({ kind }) => kind === 'budget')) {
    closeApproval(draft, open, { status: 'approved', by, reason: 'the task was resumed' });
  }
  endPause(draft, by);
}

/** Lets a paused task go on. */
export function endPause(draft: Draft, by: string): void {
  setCourse(draft, { paused: null });
  nameStatus(draft, 'task.resumed', { by });
  draft.wake.paused = true;
  draft.unsettled = true;
}
