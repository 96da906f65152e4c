import { isActiveSubtask } from '@loom/shared/statuses';
import { requestVerification } from './decisions/attempt.ts';
import { type Draft, findSubtask } from './draft.ts';
import { isWritable } from './ready-subtasks.ts';
import { hasAttemptLeft, startItem } from './remediation.ts';

/** A follow-up that is due looks at a completed subtask's result once more, in a place like any other. */
export function startFollowUps(draft: Draft): void {
  const { state, context } = draft;
  for (const item of state.course.remediations) {
    if (item.blocking || item.status !== 'queued' || item.due_at > context.now) continue;
    const subtask = findSubtask(draft, item.subtask_id);
    if (subtask?.status !== 'completed' || !hasAttemptLeft(draft, item)) continue;
    const active = state.subtasks.filter(({ status }) => isActiveSubtask(status));
    if (active.length >= state.max_parallel || !isWritable(subtask, active)) continue;
    subtask.status = 'verifying';
    startItem(draft, subtask, item);
    requestVerification(draft, subtask);
  }
}
