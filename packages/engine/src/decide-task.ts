import { assertNever } from '@loom/shared/assert-never';
import type { TaskDecision, TaskInput, TaskState } from '@loom/shared/task-state';
import * as attempt from './decisions/attempt.ts';
import * as control from './decisions/control.ts';
import * as plan from './decisions/plan.ts';
import { type Draft, openDraft } from './draft.ts';

/** The whole engine: what an input means for a task. Pure, and total: a late input changes nothing. */
export function decideTask(state: TaskState, input: TaskInput): TaskDecision {
  const draft = openDraft(state);
  apply(draft, input);
  return draft;
}

function apply(draft: Draft, input: TaskInput): void {
  switch (input.kind) {
    case 'created':
      return plan.begin(draft, input.plan);
    case 'planning_started':
      return plan.startPlanning(draft);
    case 'plan_made':
      return plan.acceptPlan(draft, input.plan, false);
    case 'plan_invalid':
      return plan.rejectPlan(draft, input.errors);
    case 'plan_unavailable':
      return plan.goOnWithoutPlan(draft, input.reason, input.degrade);
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
      return attempt.applyVerdict(draft, input);
    case 'unit_died':
      if (input.queue === 'plans') return control.buryPlan(draft, input.reason);
      return attempt.buryAttempt(draft, input);
    case 'stop_requested':
      return control.requestStop(draft, input.mode, input.by);
    case 'retry_requested':
      return control.requestRetry(draft, input.by, input.subtask_id);
    default:
      return assertNever(input);
  }
}
