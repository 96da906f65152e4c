import type { NewUnit } from '@loom/shared/task-state';

/** The id of a task's unit: the same decision always names the same unit. */
export function unitId(taskId: string, unit: Pick<NewUnit, 'queue' | 'subtask_id' | 'attempt'>) {
  // No subtask's id begins with an underscore, so a subtask called "plan" is another unit.
  if (unit.queue === 'plans') return `${taskId}._plan.${unit.attempt}`;
  const attempt = `${taskId}.${unit.subtask_id}.${unit.attempt}`;
  return unit.queue === 'subtasks' ? attempt : `${attempt}.v`;
}

/** The turn's own id names its unit; a task's unit begins with the task's id. */
export function ownerOfUnit(
  id: string,
): { kind: 'turn'; turn_id: string } | { kind: 'task'; task_id: string } {
  if (id.startsWith('turn_')) return { kind: 'turn', turn_id: id };
  return { kind: 'task', task_id: id.split('.', 1)[0] ?? id };
}
