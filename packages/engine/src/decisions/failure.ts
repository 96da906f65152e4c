import type { Failure } from '@loom/shared/api';
import type { SubtaskState } from '@loom/shared/task-state';
import type { Verdict } from '@loom/shared/verdict';
import { classifyFailure, failureSignature, isTransient } from '../classify-failure.ts';
import { failCriticalPath } from '../critical-path.ts';
import { type Draft, setCourse, setTrail, subtaskEvent } from '../draft.ts';
import { endSubtask } from '../end-subtask.ts';
import { endItem, hasAttemptLeft, queueRemediation, runningItem } from '../remediation.ts';
import { hasRetryLeft } from '../retry-ladder.ts';
import { requestReplan } from './replan.ts';

/** What a failed attempt means: another one, a repair by policy, a new plan, or the end of the subtask. */
export function handleFailure(
  draft: Draft,
  subtask: SubtaskState,
  failure: Failure,
  verdict: Verdict | null,
): void {
  draft.unsettled = true;
  if (failure.code === 'budget_exhausted') {
    endSubtask(draft, subtask, 'skipped', failure);
    return;
  }
  const strategy = classifyFailure(failure, verdict);
  const signature = failureSignature(failure);
  // A new plan asked for the same, and the same came of it: another one would not help.
  const hopeless = subtask.trail.failed_before === signature;
  // The same failure twice: a third try would find it again.
  const repeated = hopeless || subtask.trail.signatures.includes(signature);
  setTrail(subtask, {
    strategy,
    signatures: [...subtask.trail.signatures, signature],
    missing_targets: verdict?.missing_targets.slice(0, 20) ?? [],
    superseded: false,
  });
  subtask.feedback = failure.message;
  subtask.error = failure;
  const item = runningItem(draft, subtask);
  if (item !== null) {
    noteFailedAttempt(draft, subtask, failure);
    if (hasAttemptLeft(draft, item)) {
      queueRemediation(draft, subtask, { ...item, blocking: true });
    } else {
      endItem(draft, subtask, item, 'failed', failure.message);
      endSubtask(draft, subtask, 'failed', failure);
    }
    return;
  }
  const confirming = subtask.trail.confirmations > 0;
  if (!confirming && !repeated && hasRetryLeft(subtask)) {
    retryLater(draft, subtask, failure, isTransient(failure, verdict));
    return;
  }
  if (hopeless && !subtask.spec.is_critical_path) setCourse(draft, { plan_is_final: true });
  giveUp(draft, subtask, failure, { strategy, verdict });
}

/** No further attempt: the policy of the critical path decides, or a planner is asked. */
export function giveUp(
  draft: Draft,
  subtask: SubtaskState,
  failure: Failure,
  cause: Parameters<typeof failCriticalPath>[3],
): void {
  if (subtask.spec.is_critical_path) {
    failCriticalPath(draft, subtask, failure, cause);
    return;
  }
  endSubtask(draft, subtask, 'failed', failure);
  requestReplan(draft, 'subtask_failed', `${subtask.id} failed: ${failure.message}`);
}

/** Seconds before an attempt that waiting alone may help. */
const transientDelaySeconds = 2;

function retryLater(
  draft: Draft,
  subtask: SubtaskState,
  failure: Failure,
  transient: boolean,
): void {
  subtask.status = 'pending';
  if (transient) {
    setTrail(subtask, { not_before: draft.context.now + transientDelaySeconds * 1_000 });
  }
  noteFailedAttempt(draft, subtask, failure);
}

function noteFailedAttempt(draft: Draft, subtask: SubtaskState, failure: Failure): void {
  subtaskEvent(draft, 'subtask.retrying', subtask, {
    code: failure.code,
    strategy: subtask.trail.strategy,
    feedback: failure.message,
    next_attempt: subtask.attempts + 1,
  });
}
