import type { Verification } from '@loom/shared/statuses';
import type { SubtaskState } from '@loom/shared/task-state';
import type { Verdict } from '@loom/shared/verdict';

/** What a verdict says of its subtask. An inconclusive pass is never a verified one. */
export function verificationOf(verdict: Verdict): Verification {
  if (verdict.outcome === 'fail') return 'failed';
  if (!verdict.conclusive) return 'unverified';
  return verdict.outcome === 'partial_verified' ? 'partly_verified' : 'verified';
}

/** What the subtasks' verifications add up to for the task. */
export function verificationOfTask(subtasks: readonly SubtaskState[]): Verification {
  if (subtasks.length === 0) return 'unverified';
  const found = new Set(subtasks.map(({ verification }) => verification));
  if (found.has('failed')) return 'failed';
  if (found.size === 1 && found.has('verified')) return 'verified';
  if (found.size === 1 && found.has('unverified')) return 'unverified';
  return 'partly_verified';
}
