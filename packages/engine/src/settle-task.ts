import { isActiveSubtask, isTerminalTask } from '@loom/shared/statuses';
import type { SubtaskState } from '@loom/shared/task-state';
import { type Draft, setTrail, subtaskEvent } from './draft.ts';
import { endSubtask } from './end-subtask.ts';
import { finishTask } from './finish-task.ts';
import { startFollowUps } from './follow-ups.ts';
import { isHeldBack, pickStartable, unreachableSubtasks } from './ready-subtasks.ts';
import { endItem, hasAttemptLeft, openItem, startItem } from './remediation.ts';
import { highestTier, tierForAttempt } from './retry-ladder.ts';
import { recoverFromStall } from './stall.ts';

/** Deferrals after which a subtask is said to starve. */
const starvationDeferrals = 3;

/** Brings a planned task to rest: starts what can start, recovers or blocks what cannot, ends what is over. */
export function settleTask(draft: Draft): void {
  while (draft.unsettled) {
    draft.unsettled = false;
    settleOnce(draft);
  }
}

function settleOnce(draft: Draft): void {
  const { state } = draft;
  if (isTerminalTask(state.status)) return;
  if (state.cancel_mode !== null) {
    settleStopped(draft);
    return;
  }
  if (state.plan_version === 0) return;
  if (state.course.exhausted !== null) skipUnstarted(draft);
  else if (state.course.paused === null) {
    startReady(draft);
    startFollowUps(draft);
  }
  if (isUnderWay(draft)) return;
  const stuck = state.subtasks.filter(({ status }) => status === 'pending');
  if (draft.unsettled) return;
  if (stuck.length > 0) {
    if (recoverFromStall(draft)) return;
    for (const { subtask, reason } of unreachableSubtasks(state.subtasks)) {
      endSubtask(draft, subtask, 'blocked', { code: 'blocked', message: reason });
    }
  }
  const allCompleted = state.subtasks.every(({ status }) => status === 'completed');
  finishTask(draft, allCompleted ? 'completed' : 'failed');
}

/** Whether something is still to come without anybody doing anything more: work, an answer, an instant. */
function isUnderWay({ state, context }: Draft): boolean {
  const { course, subtasks } = state;
  const asksForPlan = course.approvals.some(({ kind }) => kind === 'replan');
  if (course.replan !== null || (asksForPlan && course.exhausted === null)) return true;
  if (subtasks.some(({ status }) => isActiveSubtask(status))) return true;
  const pending = subtasks.filter(({ status }) => status === 'pending');
  if (pending.length === 0) return false;
  return course.paused !== null || pending.some((subtask) => isHeldBack(subtask, context.now));
}

function settleStopped(draft: Draft): void {
  const { state } = draft;
  for (const subtask of state.subtasks) {
    const atWork = subtask.status === 'running' && state.cancel_mode === 'cancel';
    if (subtask.status === 'pending' || (isActiveSubtask(subtask.status) && !atWork)) {
      endSubtask(draft, subtask, 'skipped', { code: 'cancelled', message: 'the task was stopped' });
    }
  }
  if (!state.subtasks.some(({ status }) => isActiveSubtask(status))) finishTask(draft, 'cancelled');
}

/** Once a budget is spent nothing more begins; what is at work ends by itself. */
function skipUnstarted(draft: Draft): void {
  const { exhausted } = draft.state.course;
  for (const subtask of draft.state.subtasks) {
    if (subtask.status !== 'pending') continue;
    const message = `the budget ${exhausted?.budget} was spent`;
    endSubtask(draft, subtask, 'skipped', { code: 'budget_exhausted', message });
  }
}

function startReady(draft: Draft): void {
  const { subtasks, max_parallel } = draft.state;
  const { start, deferred } = pickStartable(subtasks, max_parallel, draft.context.now);
  for (const subtask of deferred) {
    subtask.deferrals += 1;
    if (subtask.deferrals === starvationDeferrals) {
      subtaskEvent(draft, 'subtask.starved', subtask, { deferrals: subtask.deferrals });
    }
  }
  for (const subtask of start) {
    // One that cannot start after all may be critical and take the others with it.
    if (subtask.status === 'pending') startAttempt(draft, subtask);
  }
}

function startAttempt(draft: Draft, subtask: SubtaskState): void {
  const item = openItem(draft, subtask);
  if (item !== null && !hasAttemptLeft(draft, item)) {
    const reason = 'its attempts, or those of the task, are used up';
    endItem(draft, subtask, item, 'failed', reason);
    const failure = subtask.error ?? { code: item.reason_code, message: reason };
    endSubtask(draft, subtask, 'failed', failure);
    draft.unsettled = true;
    return;
  }
  const index = subtask.attempts - subtask.attempts_forgiven;
  const repair = item !== null || subtask.trail.confirmations > 0;
  const tier = repair ? highestTier : tierForAttempt(subtask.spec.model_tier, index);
  subtask.attempts += 1;
  subtask.status = 'queued';
  setTrail(subtask, { not_before: null, verification_round: 0, seen_by_person: false });
  draft.units.push({
    queue: 'subtasks',
    subtask_id: subtask.id,
    attempt: subtask.attempts,
    tier,
    round: 1,
  });
  subtaskEvent(draft, 'subtask.queued', subtask, { tier });
  if (item !== null) startItem(draft, subtask, item);
}
