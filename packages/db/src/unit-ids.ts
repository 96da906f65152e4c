import type { NewUnit } from '@loom/shared/task-state';

/** The id of a task's unit: the same decision always names the same unit. */
export function unitId(
  taskId: string,
  unit: Pick<NewUnit, 'queue' | 'subtask_id' | 'attempt'> & { round?: number },
): string {
  // No subtask's id begins with an underscore, so a subtask called "plan" is another unit.
  if (unit.queue === 'plans') return `${taskId}._plan.${unit.attempt}`;
  const attempt = `${taskId}.${unit.subtask_id}.${unit.attempt}`;
  if (unit.queue === 'subtasks') return attempt;
  const { round = 1 } = unit;
  return round === 1 ? `${attempt}.v` : `${attempt}.v${round}`;
}

/** The id of the unit that remembers what was learnt in an attempt. */
export function extractionId(attempt: {
  task_id: string;
  subtask_id: string;
  attempt: number;
}): string {
  return `mem_${attempt.task_id}.${attempt.subtask_id}.${attempt.attempt}`;
}

/**
 * The turn's and the delivery's own ids name their units; a task's unit begins with the task's id,
 * but for what is learnt from it, which outlives the task's work.
 */
export function ownerOfUnit(
  id: string,
):
  | { kind: 'turn'; turn_id: string }
  | { kind: 'delivery'; delivery_id: string }
  | { kind: 'extraction' }
  | { kind: 'task'; task_id: string } {
  if (id.startsWith('turn_')) return { kind: 'turn', turn_id: id };
  if (id.startsWith('dlv_')) return { kind: 'delivery', delivery_id: id };
  if (id.startsWith('mem_')) return { kind: 'extraction' };
  return { kind: 'task', task_id: id.split('.', 1)[0] ?? id };
}
