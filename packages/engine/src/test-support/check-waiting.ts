import { isActiveSubtask, isTerminalTask } from '@loom/shared/statuses';
import type { OpenApproval, TaskDecision, TaskState } from '@loom/shared/task-state';
import { demand } from './demand.ts';

/** Whatever a task waits for comes: nobody is asked in vain, and no instant is forgotten. */
export function checkWaiting(before: TaskState, decision: TaskDecision, now: number): void {
  const { state } = decision;
  checkApprovals(before, decision);
  checkAnswered(before, decision);
  checkInstants(state, now);
  if (isTerminalTask(state.status)) return;
  demand(isMoving(state), 'a task that is not over has something that moves it on');
}

function checkApprovals(before: TaskState, { state, approvals }: TaskDecision): void {
  if (before.course.approvals.length + approvals.length + state.course.approvals.length === 0)
    return;
  const open = new Set(before.course.approvals.map(({ id }) => id));
  for (const change of approvals) {
    if (change.op === 'open') {
      demand(!open.has(change.id), 'a question is put once');
      open.add(change.id);
    } else demand(open.delete(change.id), 'only an open question is answered');
  }
  const after = state.course.approvals.map(({ id }) => id);
  demand(
    after.length === open.size && after.every((id) => open.has(id)),
    'open questions are those that were put and not answered',
  );
  for (const approval of state.course.approvals) {
    demand(approval.expires_at !== null, 'every question runs out');
    demand(fits(state, approval), () => `a question about a ${approval.kind} has its reason`);
  }
  const asked = state.course.approvals.map(({ kind, subtask_id }) => `${kind} ${subtask_id}`);
  demand(new Set(asked).size === asked.length, 'nothing is asked twice at once');
}

function fits(state: TaskState, { kind, subtask_id, attempt }: OpenApproval): boolean {
  const { course, plan_version } = state;
  switch (kind) {
    case 'tool':
    case 'result':
      return state.subtasks.some(
        ({ id, attempts, status }) =>
          id === subtask_id && attempts === attempt && status === 'awaiting_approval',
      );
    case 'plan':
      return plan_version === 0;
    case 'replan':
      return plan_version > 0 && course.replan === null;
    case 'budget':
      return course.paused?.reason === 'budget';
  }
}

/** An attempt whose question is off the table goes on, or is over. */
function checkAnswered(before: TaskState, { state, wake }: TaskDecision): void {
  for (const { id, attempts, status } of state.subtasks) {
    if (status !== 'awaiting_approval') continue;
    const asked = ({ course }: TaskState) =>
      course.approvals.some(({ subtask_id }) => subtask_id === id);
    const woken = wake.attempts.some((one) => one.subtask_id === id && one.attempt === attempts);
    if (asked(state)) {
      demand(!woken, 'an attempt is not woken while its question is open');
    } else {
      demand(!asked(before) || woken, 'an attempt is woken when its question is answered');
    }
  }
}

function checkInstants(state: TaskState, now: number): void {
  const { wake_at, course, subtasks, status } = state;
  if (isTerminalTask(status)) {
    demand(wake_at === null, 'an ended task waits for no instant');
    demand(course.approvals.length === 0, 'an ended task asks nothing');
    demand(course.paused === null && course.replan === null, 'an ended task is not under way');
    demand(Object.keys(course.holds).length === 0, 'an ended task holds nothing');
    return;
  }
  demand(wake_at === null || wake_at > now, 'an instant to wait for lies ahead');
  let first = Infinity;
  const look = (instant: number | null) => {
    if (instant !== null && instant < first) first = instant;
  };
  for (const { expires_at } of course.approvals) look(expires_at);
  for (const subtask of subtasks) if (subtask.status === 'pending') look(subtask.trail.not_before);
  if (!isClockStopped(state)) look(course.deadline);
  demand(first > now, 'what was due has been done');
  demand(first === Infinity || (wake_at ?? Infinity) <= first, 'the next instant is kept');
}

function isClockStopped({ course, cancel_mode }: TaskState): boolean {
  return cancel_mode !== null || course.exhausted !== null || course.paused?.reason === 'budget';
}

/** Something is at work, somebody is asked, an instant will come, or a person holds it back. */
function isMoving({ course, subtasks, plan_version, plan_attempts, wake_at }: TaskState): boolean {
  if (course.paused !== null || course.approvals.length > 0) return true;
  if (plan_version === 0) return plan_attempts > 0;
  if (course.replan !== null || subtasks.some(({ status }) => isActiveSubtask(status))) return true;
  return subtasks.some(
    ({ status, trail }) =>
      status === 'pending' && (trail.held || (trail.not_before !== null && wake_at !== null)),
  );
}
