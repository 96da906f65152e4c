import type { SubtaskState } from '@loom/shared/task-state';
import { requestReplan } from './decisions/replan.ts';
import { type Draft, setCourse, setTrail, subtaskEvent } from './draft.ts';
import { endItem, openItem } from './remediation.ts';

/** A subtask's result stands; what waited for it may start. */
export function completeSubtask(
  draft: Draft,
  subtask: SubtaskState,
  data: Record<string, unknown>,
): void {
  const item = openItem(draft, subtask);
  if (item !== null) endItem(draft, subtask, item, 'resolved', 'the subtask was completed');
  subtask.status = 'completed';
  subtask.feedback = null;
  subtask.error = null;
  if (subtask.trail.held) setTrail(subtask, { held: false });
  subtaskEvent(draft, 'subtask.completed', subtask, {
    summary: subtask.summary,
    verification: subtask.verification,
    ...data,
  });
  draft.unsettled = true;
  lookAtPlan(draft, subtask);
}

/** Completions and discoveries are reasons to look at what is left of the plan. */
function lookAtPlan(draft: Draft, subtask: SubtaskState): void {
  const { policy, course, subtasks } = draft.state;
  const unstarted = subtasks.some(({ status }) => status === 'pending');
  const found = course.discoveries.filter(({ subtask_id }) => subtask_id === subtask.id);
  if (policy.replan_on_discovery && found.length > 0 && unstarted) {
    requestReplan(draft, 'discovery', found.map(({ summary }) => summary).join('\n'));
    return;
  }
  if (policy.replan_interval === 0) return;
  const completions = course.completions + 1;
  setCourse(draft, { completions });
  if (completions >= policy.replan_interval && unstarted) {
    requestReplan(draft, 'interval', `${completions} subtasks were completed since the last plan`);
  }
}
