import type { TaskPolicy } from '@loom/shared/task-policy';
import type { Remediation, RetryStrategy, SubtaskState } from '@loom/shared/task-state';
import { type Draft, setCourse, setTrail, subtaskEvent } from './draft.ts';

/** Seconds before the n-th attempt of a remediation. */
export function remediationBackoff(policy: TaskPolicy['remediation'], attempt: number): number {
  return Math.min(policy.max_backoff_seconds, policy.backoff_seconds * 2 ** (attempt - 1));
}

/**
 * Queues what would set a subtask right. The same trouble is one item; a blocking one makes it
 * blocking. A blocking item's subtask waits until the item is due and then runs again.
 */
export function queueRemediation(
  draft: Draft,
  subtask: SubtaskState,
  trouble: { strategy: RetryStrategy; reason_code: string; blocking: boolean },
): void {
  const { policy, course } = draft.state;
  const { now } = draft.context;
  const known = course.remediations.find(
    (item) => isOpen(item) && item.subtask_id === subtask.id && isSameTrouble(item, trouble),
  );
  const item: Remediation = known ?? {
    id: `${subtask.id}-${course.remediations.length + 1}`,
    subtask_id: subtask.id,
    strategy: trouble.strategy,
    reason_code: trouble.reason_code,
    blocking: false,
    status: 'queued',
    attempts: 0,
    due_at: 0,
    expires_at: now + policy.remediation.ttl_seconds * 1_000,
    terminal_reason: null,
  };
  const queued: Remediation = {
    ...item,
    status: 'queued',
    blocking: item.blocking || trouble.blocking,
    due_at: now + remediationBackoff(policy.remediation, item.attempts + 1) * 1_000,
  };
  putItem(draft, queued);
  if (queued.blocking) {
    subtask.status = 'pending';
    subtask.attempts_forgiven = subtask.attempts;
    setTrail(subtask, { not_before: queued.due_at, signatures: [] });
  }
  subtaskEvent(draft, 'remediation.queued', subtask, {
    remediation_id: queued.id,
    strategy: queued.strategy,
    reason_code: queued.reason_code,
    blocking: queued.blocking,
    attempts: queued.attempts,
    due_at: new Date(queued.due_at).toISOString(),
  });
}

/** The open item that concerns a subtask, if there is one. */
export function openItem(draft: Draft, subtask: SubtaskState): Remediation | null {
  return (
    draft.state.course.remediations.find(
      (item) => item.subtask_id === subtask.id && isOpen(item),
    ) ?? null
  );
}

/** The item whose attempt is under way. */
export function runningItem(draft: Draft, subtask: SubtaskState): Remediation | null {
  const item = openItem(draft, subtask);
  return item?.status === 'running' ? item : null;
}

/** Whether a follow-up looks at a completed subtask's result right now. */
export function isFollowedUp(draft: Draft, subtask: SubtaskState): boolean {
  return runningItem(draft, subtask)?.blocking === false;
}

export function isOpen({ status }: Remediation): boolean {
  return status === 'queued' || status === 'running';
}

/** An attempt of an item begins. */
export function startItem(draft: Draft, subtask: SubtaskState, item: Remediation): void {
  putItem(draft, { ...item, status: 'running', attempts: item.attempts + 1 });
  setCourse(draft, { remediation_attempts: draft.state.course.remediation_attempts + 1 });
  subtaskEvent(draft, 'remediation.attempted', subtask, {
    remediation_id: item.id,
    number: item.attempts + 1,
    reverify: !item.blocking,
  });
}

/** An item comes to its end. */
export function endItem(
  draft: Draft,
  subtask: SubtaskState,
  item: Remediation,
  status: 'resolved' | 'failed' | 'expired',
  reason: string,
): void {
  putItem(draft, { ...item, status, terminal_reason: reason });
  subtaskEvent(draft, `remediation.${status}`, subtask, {
    remediation_id: item.id,
    reason,
    reverify: !item.blocking && item.status === 'running',
  });
}

/** Whether an item may be tried once more. */
export function hasAttemptLeft(draft: Draft, item: Remediation): boolean {
  const { policy, limits, course } = draft.state;
  const limit = limits.max_remediation_attempts ?? 0;
  if (limit > 0 && course.remediation_attempts >= limit) return false;
  return item.attempts < policy.remediation.max_attempts;
}

function putItem(draft: Draft, item: Remediation): void {
  const { remediations } = draft.state.course;
  const known = remediations.some(({ id }) => id === item.id);
  setCourse(draft, {
    remediations: known
      ? remediations.map((one) => (one.id === item.id ? item : one))
      : [...remediations, item],
  });
}

function isSameTrouble(
  item: Remediation,
  trouble: { strategy: RetryStrategy; reason_code: string },
): boolean {
  return item.strategy === trouble.strategy && item.reason_code === trouble.reason_code;
}
