import type { ConfidenceSignals, SubtaskState } from '@loom/shared/task-state';
import type { Verdict } from '@loom/shared/verdict';
import { openApproval } from '../approvals.ts';
import { classifyFailure } from '../classify-failure.ts';
import { completeSubtask } from '../complete-subtask.ts';
import { confidenceOf, weighResult } from '../confidence.ts';
import { currentAttempt, type Draft, subtaskEvent } from '../draft.ts';
import { endItem, isFollowedUp, queueRemediation, runningItem } from '../remediation.ts';
import { verificationOf } from '../task-verification.ts';
import { leaveStale, requestVerification } from './attempt.ts';
import { giveUp, handleFailure } from './failure.ts';

/** The verdict decides: completed, a person is asked, another attempt, or failed. */
export function applyVerdict(
  draft: Draft,
  input: { subtask_id: string; attempt: number; verdict: Verdict; signals: ConfidenceSignals },
): void {
  const subtask = currentAttempt(draft, input);
  if (subtask === null || subtask.status !== 'verifying') return;
  const { verdict, signals } = input;
  if (subtask.trail.superseded) return leaveStale(draft, subtask, verdict.outcome);
  if (isFollowedUp(draft, subtask)) return confirmResult(draft, subtask, verdict);
  if (wantsAnotherRound(draft, subtask, verdict)) {
    subtaskEvent(draft, 'verification.retrying', subtask, {
      reason_code: verdict.reason_code,
      feedback: verdict.feedback,
      round: subtask.trail.verification_round,
    });
    requestVerification(draft, subtask);
    return;
  }
  subtask.verification = verificationOf(verdict);
  const passed = verdict.outcome !== 'fail';
  subtaskEvent(draft, passed ? 'verification.passed' : 'verification.failed', subtask, {
    outcome: verdict.outcome,
    tier: verdict.tier,
    confidence: verdict.confidence,
    reason_code: verdict.reason_code,
    severity_class: verdict.severity_class,
    feedback: verdict.feedback,
  });
  if (passed) weigh(draft, subtask, verdict, signals);
  else {
    const failure = { code: verdict.reason_code, message: verdict.feedback };
    handleFailure(draft, subtask, failure, verdict);
  }
}

/** A verifier that could not be understood says nothing about the work: it is asked again, the executor is not. */
function wantsAnotherRound(draft: Draft, subtask: SubtaskState, verdict: Verdict): boolean {
  const failure = { code: verdict.reason_code, message: '' };
  if (classifyFailure(failure, null) !== 'verifier_parse') return false;
  return subtask.trail.verification_round < draft.state.policy.max_verification_rounds;
}

function weigh(
  draft: Draft,
  subtask: SubtaskState,
  verdict: Verdict,
  signals: ConfidenceSignals,
): void {
  const { approval } = draft.state.policy;
  const retries = Math.max(0, subtask.attempts - subtask.attempts_forgiven - 1);
  const confidence = confidenceOf(signals, retries, subtask.spec.max_retries);
  const action = weighResult(approval, confidence, subtask.trail.seen_by_person);
  if (action === 'proceed') {
    completeSubtask(draft, subtask, { outcome: verdict.outcome, confidence });
    followUp(draft, subtask, verdict);
    return;
  }
  if (action === 'abort') {
    const message = `the confidence in the result is ${confidence.toFixed(2)}`;
    const failure = { code: 'low_confidence', message };
    giveUp(draft, subtask, failure, { strategy: 'generic', verdict });
    draft.unsettled = true;
    return;
  }
  subtask.status = 'awaiting_approval';
  const objection = action === 'wait_with_timeout';
  openApproval(draft, {
    kind: 'result',
    subtask,
    arguments: { summary: subtask.summary, outcome: verdict.outcome, confidence },
    reason: `The confidence in the result of ${subtask.id} is ${confidence.toFixed(2)}. Accept it?`,
    seconds: objection ? approval.objection_seconds : approval.timeout_seconds,
    on_timeout: objection ? 'approve' : approval.on_timeout,
  });
}

/** What stands unconfirmed on the critical path is looked at again later, if the policy says so. */
function followUp(draft: Draft, subtask: SubtaskState, verdict: Verdict): void {
  const { critical_path_behavior } = draft.state.policy;
  if (critical_path_behavior !== 'queue_follow_up' || !subtask.spec.is_critical_path) return;
  const failure = { code: verdict.reason_code, message: verdict.feedback };
  const strategy = classifyFailure(failure, verdict);
  if (strategy !== 'unconfirmed_data') return;
  queueRemediation(draft, subtask, { strategy, reason_code: failure.code, blocking: false });
}

/** A follow-up looked at a completed subtask once more: it stays completed, whatever was found. */
function confirmResult(draft: Draft, subtask: SubtaskState, verdict: Verdict): void {
  const item = runningItem(draft, subtask);
  if (item === null) return;
  subtask.status = 'completed';
  if (verdict.outcome === 'pass' || verdict.outcome === 'pass_with_warnings') {
    subtask.verification = verificationOf(verdict);
    endItem(draft, subtask, item, 'resolved', verdict.feedback || 'confirmed');
  } else {
    endItem(draft, subtask, item, 'failed', verdict.feedback || verdict.reason_code);
  }
  draft.unsettled = true;
}
