import type { Failure } from '@loom/shared/api';
import type { RetryStrategy, SubtaskState } from '@loom/shared/task-state';
import type { Verdict } from '@loom/shared/verdict';
import { isTransient } from './classify-failure.ts';
import { completeSubtask } from './complete-subtask.ts';
import { type Draft, setTrail, subtaskEvent } from './draft.ts';
import { endSubtask } from './end-subtask.ts';
import { queueRemediation } from './remediation.ts';

/** A critical subtask has used up its attempts: the policy says whether that is the end. */
export function failCriticalPath(
  draft: Draft,
  subtask: SubtaskState,
  failure: Failure,
  cause: { strategy: RetryStrategy; verdict: Verdict | null },
): void {
  const { critical_path_behavior, confirm_or_prune } = draft.state.policy;
  if (critical_path_behavior === 'block') {
    endSubtask(draft, subtask, 'failed', failure);
    return;
  }
  const confirms = critical_path_behavior === 'confirm_or_prune_then_queue';
  if (confirms && subtask.trail.confirmations < confirm_or_prune.max_attempts) {
    const wait = isTransient(failure, cause.verdict) ? confirm_or_prune.backoff_seconds : 0;
    subtask.status = 'pending';
    subtask.attempts_forgiven = subtask.attempts;
    setTrail(subtask, {
      confirmations: subtask.trail.confirmations + 1,
      not_before: wait === 0 ? null : draft.context.now + wait * 1_000,
    });
    subtaskEvent(draft, 'subtask.retrying', subtask, {
      code: failure.code,
      strategy: 'confirm_or_prune',
      feedback: failure.message,
      next_attempt: subtask.attempts + 1,
    });
    return;
  }
  const { strategy, verdict } = cause;
  if (!confirms && isSoft(strategy, verdict)) {
    subtask.verification = 'partly_verified';
    completeSubtask(draft, subtask, { outcome: 'partial_verified', reason_code: failure.code });
    queueRemediation(draft, subtask, { strategy, reason_code: failure.code, blocking: false });
    return;
  }
  subtaskEvent(draft, 'subtask.retrying', subtask, {
    code: failure.code,
    strategy,
    feedback: failure.message,
    next_attempt: subtask.attempts + 1,
  });
  queueRemediation(draft, subtask, { strategy, reason_code: failure.code, blocking: true });
}

/** The work is done and only its confirmation is missing: it can stand while that is looked for. */
function isSoft(strategy: RetryStrategy, verdict: Verdict | null): boolean {
  return (
    strategy === 'unconfirmed_data' &&
    verdict !== null &&
    verdict.severity_class !== 'hard_invariant'
  );
}
