import type { Failure } from '@loom/shared/api';
import type { SubtaskState, TaskInput } from '@loom/shared/task-state';
import type { Verdict } from '@loom/shared/verdict';
import { currentAttempt, type Draft, subtaskEvent } from '../draft.ts';
import { hasRetryLeft } from '../retry-ladder.ts';
import { endSubtask, settleTask } from '../settle-task.ts';
import { verificationOf } from '../task-verification.ts';

interface AttemptRef {
  subtask_id: string;
  attempt: number;
}

/** A runner took an attempt up, or took it over from one that died. */
export function startAttempt(draft: Draft, input: AttemptRef): void {
  const subtask = currentAttempt(draft, input);
  if (subtask === null) return;
  if (draft.state.cancel_mode !== null && isAtWork(subtask)) {
    stopAttempt(draft, subtask);
  } else if (subtask.status === 'queued') {
    subtask.status = 'running';
    subtaskEvent(draft, 'subtask.started', subtask);
  } else if (subtask.status === 'running') {
    subtaskEvent(draft, 'run.recovered', subtask, { queue: 'subtasks' });
  }
}

/** The executor says it is done: now someone else looks at the result. */
export function finishAttempt(
  draft: Draft,
  input: AttemptRef & { summary: string; files_changed: string[] },
): void {
  const subtask = currentAttempt(draft, input);
  if (subtask === null || subtask.status !== 'running') return;
  subtask.summary = input.summary;
  draft.state.files_changed = [
    ...new Set([...draft.state.files_changed, ...input.files_changed]),
  ].sort();
  if (draft.state.cancel_mode !== null) {
    stopAttempt(draft, subtask);
    return;
  }
  subtask.status = 'verifying';
  draft.units.push({
    queue: 'verifications',
    subtask_id: subtask.id,
    attempt: subtask.attempts,
    tier: null,
  });
  subtaskEvent(draft, 'subtask.verifying', subtask, { summary: input.summary });
}

/** The executor could not do it: try again with what was learnt, or give up. */
export function failAttempt(draft: Draft, input: AttemptRef & { failure: Failure }): void {
  const subtask = currentAttempt(draft, input);
  if (subtask === null || subtask.status !== 'running') return;
  if (draft.state.cancel_mode !== null) stopAttempt(draft, subtask);
  else retryOrFail(draft, subtask, input.failure);
}

/** The executor stopped because the task is being stopped. */
export function cancelAttempt(draft: Draft, input: AttemptRef): void {
  const subtask = currentAttempt(draft, input);
  if (subtask !== null && isAtWork(subtask)) stopAttempt(draft, subtask);
}

/** A verifier took the result up. */
export function startVerification(draft: Draft, input: AttemptRef): void {
  const subtask = currentAttempt(draft, input);
  if (subtask?.status === 'verifying') subtaskEvent(draft, 'verification.started', subtask);
}

/** The verdict decides: completed, another attempt, or failed. */
export function applyVerdict(draft: Draft, input: AttemptRef & { verdict: Verdict }): void {
  const subtask = currentAttempt(draft, input);
  if (subtask === null || subtask.status !== 'verifying') return;
  const { verdict } = input;
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
  if (!passed) {
    retryOrFail(draft, subtask, { code: verdict.reason_code, message: verdict.feedback });
    return;
  }
  subtask.status = 'completed';
  subtask.feedback = null;
  subtask.error = null;
  subtaskEvent(draft, 'subtask.completed', subtask, {
    summary: subtask.summary,
    outcome: verdict.outcome,
    verification: subtask.verification,
  });
  settleTask(draft);
}

/** A unit that kept dying takes its subtask with it: more of the same would kill more workers. */
export function buryAttempt(draft: Draft, input: Extract<TaskInput, { kind: 'unit_died' }>): void {
  const { queue, subtask_id, attempt, reason } = input;
  if (subtask_id === null || attempt === null) return;
  const subtask = currentAttempt(draft, { subtask_id, attempt });
  if (subtask === null || !isAtWork(subtask)) return;
  const queueOfStatus = subtask.status === 'verifying' ? 'verifications' : 'subtasks';
  if (queue !== queueOfStatus) return;
  if (draft.state.cancel_mode !== null) {
    stopAttempt(draft, subtask);
    return;
  }
  endSubtask(draft, subtask, 'failed', { code: 'dead_letter', message: reason });
  settleTask(draft);
}

function isAtWork(subtask: SubtaskState): boolean {
  return ['queued', 'running', 'verifying'].includes(subtask.status);
}

function stopAttempt(draft: Draft, subtask: SubtaskState): void {
  endSubtask(draft, subtask, 'skipped', { code: 'cancelled', message: 'the task was stopped' });
  settleTask(draft);
}

function retryOrFail(draft: Draft, subtask: SubtaskState, failure: Failure): void {
  if (hasRetryLeft(subtask)) {
    subtask.status = 'pending';
    subtask.feedback = failure.message;
    subtask.error = failure;
    subtaskEvent(draft, 'subtask.retrying', subtask, {
      code: failure.code,
      feedback: failure.message,
      next_attempt: subtask.attempts + 1,
    });
  } else {
    endSubtask(draft, subtask, 'failed', failure);
  }
  settleTask(draft);
}
