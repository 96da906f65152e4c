import { requestReplan } from './decisions/replan.ts';
import { type Draft, setCourse, taskEvent } from './draft.ts';
import { unreachableSubtasks } from './ready-subtasks.ts';

/**
 * Subtasks are left and none of them can ever run. Says why, and asks for another plan as long as
 * that may help; false when the task has to end with those reasons.
 */
export function recoverFromStall(draft: Draft): boolean {
  const { course, policy } = draft.state;
  const blocked = unreachableSubtasks(draft.state.subtasks).map(({ subtask, reason }) => ({
    subtask_id: subtask.id,
    reason,
  }));
  taskEvent(draft, 'task.stalled', { blocked, recoveries: course.stall_recoveries });
  const spent = course.stall_recoveries >= policy.max_stall_recoveries;
  if (spent || course.plan_is_final) return false;
  setCourse(draft, { stall_recoveries: course.stall_recoveries + 1 });
  const detail = blocked.map(({ subtask_id, reason }) => `${subtask_id} ${reason}`).join('; ');
  return requestReplan(draft, 'stalled', detail);
}
