import { assertNever } from '@loom/shared/assert-never';
import { isTerminalTask } from '@loom/shared/statuses';
import type { DecisionContext, TaskDecision, TaskInput, TaskState } from '@loom/shared/task-state';
import { decideApproval } from './decisions/approval.ts';
import * as attempt from './decisions/attempt.ts';
import { releaseHolds, wantCalls } from './decisions/budget.ts';
import * as control from './decisions/control.ts';
import { pause, resume } from './decisions/pause.ts';
import * as plan from './decisions/plan.ts';
import { requestReplan } from './decisions/replan.ts';
import { steer } from './decisions/steer.ts';
import { passTime } from './decisions/timer.ts';
import { applyVerdict } from './decisions/verdict.ts';
import { type Draft, openDraft } from './draft.ts';
import { settleTask } from './settle-task.ts';
import { nextInstant, settleStatus } from './task-status.ts';

/** The whole engine: what an input means for a task. Pure, and total: a late input changes nothing. */
export function decideTask(
  state: TaskState,
  input: TaskInput,
  context: DecisionContext,
): TaskDecision {
  const draft = openDraft(state, context);
  // What is due comes first, whoever speaks: the sweeper may be late, and no instant is passed over.
  passTime(draft);
  // Nor is a task that this ended taken up again in the same breath: nobody knew yet that it had.
  const endedNow = isTerminalTask(draft.state.status) && !isTerminalTask(state.status);
  if (!endedNow) apply(draft, input);
  // The clock of a budget stands still while the task waits for a larger one, and may be over since.
  passTime(draft);
  settleTask(draft);
  settleStatus(draft);
  releaseHolds(draft);
  draft.state.wake_at = nextInstant(draft.state, context.now);
  const { context: _, unsettled: __, ...decision } = draft;
  return decision;
}

function apply(draft: Draft, input: TaskInput): void {
  switch (input.kind) {
    case 'created':
      return plan.begin(draft, input.plan);
    case 'planning_started':
      return plan.startPlanning(draft, input.attempt, input.resumed);
    case 'plan_made':
      return plan.takePlan(draft, input.attempt, input.plan);
    case 'plan_invalid':
      return plan.rejectPlan(draft, input.attempt, input.errors);
    case 'plan_unavailable':
      return plan.goOnWithoutPlan(draft, input.attempt, input.reason);
    case 'attempt_started':
      return attempt.startAttempt(draft, input);
    case 'attempt_done':
      return attempt.finishAttempt(draft, input);
    case 'attempt_failed':
      return attempt.failAttempt(draft, input);
    case 'attempt_cancelled':
      return attempt.cancelAttempt(draft, input);
    case 'verification_started':
      return attempt.startVerification(draft, input);
    case 'verdict_given':
      return applyVerdict(draft, input);
    case 'unit_died':
      if (input.queue === 'plans') return plan.buryPlan(draft, input.attempt, input.reason);
      return attempt.buryAttempt(draft, input);
    case 'approval_requested':
      return attempt.askForAction(draft, input);
    case 'approval_decided':
      return decideApproval(draft, input.id, input);
    case 'calls_wanted':
      return wantCalls(draft, input.unit, input.wants);
    case 'time_passed':
      return;
    case 'stop_requested':
      return control.requestStop(draft, input.mode, input.by);
    case 'subtask_stop_requested':
      return control.skipSubtask(draft, input);
    case 'pause_requested':
      return pause(draft, input.subtask_id, input.by);
    case 'resume_requested':
      return resume(draft, input);
    case 'steer_requested':
      return steer(draft, input);
    case 'replan_requested': {
      requestReplan(draft, 'requested', input.reason);
      return;
    }
    case 'retry_requested':
      return control.requestRetry(draft, input);
    default:
      return assertNever(input);
  }
}
