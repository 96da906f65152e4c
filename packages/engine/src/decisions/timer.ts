import { isTerminalTask } from '@loom/shared/statuses';
import { type Draft, findSubtask, setCourse, setTrail } from '../draft.ts';
import { endSubtask } from '../end-subtask.ts';
import { endItem } from '../remediation.ts';
import { isDue } from '../task-status.ts';
import { expireApproval } from './approval.ts';
import { exhaust } from './budget.ts';

/** Time passed: questions and repairs run out, follow-ups and retries become due, the clock of a budget ends. */
export function passTime(draft: Draft): void {
  const { state, context } = draft;
  if (!isDue(state, context.now)) return;
  draft.unsettled = true;
  // First of all: once a budget is spent, what else is due begins nothing.
  endClock(draft);
  for (const open of state.course.approvals) {
    if (open.expires_at !== null && open.expires_at <= context.now) expireApproval(draft, open);
    if (isTerminalTask(state.status)) return;
  }
  expireRemediations(draft);
  endWaits(draft);
}

function expireRemediations(draft: Draft): void {
  for (const { id } of draft.state.course.remediations) {
    // One that ends may take others with it, so each is looked at as it stands now.
    const item = draft.state.course.remediations.find((one) => one.id === id);
    if (item?.status !== 'queued' || item.expires_at > draft.context.now) continue;
    const subtask = findSubtask(draft, item.subtask_id);
    if (subtask === null) continue;
    endItem(draft, subtask, item, 'expired', 'it was not set right in time');
    if (!item.blocking) continue;
    const message = `its remediation (${item.reason_code}) was not resolved in time`;
    endSubtask(draft, subtask, 'failed', { code: item.reason_code, message });
  }
}

function endWaits({ state, context }: Draft): void {
  for (const subtask of state.subtasks) {
    const { not_before } = subtask.trail;
    if (not_before !== null && not_before <= context.now) setTrail(subtask, { not_before: null });
  }
}

/** The clock of `max_seconds`; while a task waits for a larger budget it cannot run out. */
function endClock(draft: Draft): void {
  const { state, context } = draft;
  const { deadline, paused } = state.course;
  if (deadline === null || deadline > context.now || state.cancel_mode !== null) return;
  if (paused?.reason === 'budget') return;
  const limit = state.limits.max_seconds ?? 0;
  setCourse(draft, { deadline: null });
  exhaust(draft, { budget: 'max_seconds', scope: 'task', used: limit, limit });
}
