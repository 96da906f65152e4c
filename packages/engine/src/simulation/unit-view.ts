import { isTerminalTask } from '@loom/shared/statuses';
import type { TaskInput, TaskState } from '@loom/shared/task-state';
import type { WorkSigns } from '@loom/shared/work';
import type { TaskRow, UnitRow } from './rows.ts';

type UnitName = Pick<UnitRow, 'queue' | 'subtask_id' | 'attempt'>;

/** What is said when a unit is taken up. */
export function startOf({ queue, subtask_id, attempt }: UnitName, resumed: boolean): TaskInput {
  if (queue === 'plans' || subtask_id === null || attempt === null) {
    return { kind: 'planning_started', attempt: attempt ?? 0, resumed };
  }
  const kind = queue === 'subtasks' ? 'attempt_started' : 'verification_started';
  return { kind, subtask_id, attempt, resumed };
}

/** Whether the task wants the unit worked on, as its state stands after a start. */
export function isStarted(state: TaskState, unit: UnitName): boolean {
  if (isHeld(state, unit)) return false;
  if (unit.queue === 'plans') {
    const unplanned = state.plan_version === 0;
    const wanted = unplanned ? state.status === 'planning' : state.course.replan !== null;
    return wanted && !isTerminalTask(state.status) && unit.attempt === state.plan_attempts;
  }
  const wanted = unit.queue === 'subtasks' ? 'running' : 'verifying';
  return state.subtasks.some(
    ({ id, attempts, status }) =>
      id === unit.subtask_id && attempts === unit.attempt && status === wanted,
  );
}

/** Whether a unit is to wait because its task or its subtask is paused. */
export function isHeld({ course, status, subtasks }: TaskState, unit: UnitName): boolean {
  if (isTerminalTask(status)) return false;
  if (course.paused !== null) return true;
  return subtasks.some(({ id, trail }) => id === unit.subtask_id && trail.held);
}

/** Whether a person has yet to answer for a unit. */
export function isAsking({ course }: TaskState, unit: UnitName): boolean {
  return course.approvals.some(({ subtask_id }) => subtask_id === unit.subtask_id);
}

/** Whether some budget limits what a task's units do. */
export function isMetered({ state, scopes }: TaskRow): boolean {
  return scopes.length > 0 || Object.values(state.limits).some((limit) => (limit ?? 0) > 0);
}

/** What the owner of a unit learns with each of its writes. */
export function signsFor(state: TaskState, unit: UnitName, granted: boolean): WorkSigns {
  const subtask = state.subtasks.find(({ id }) => id === unit.subtask_id);
  const overtime = state.course.exhausted?.budget === 'max_seconds';
  return {
    stopping: state.cancel_mode !== null || overtime || subtask?.trail.superseded === true,
    pausing: isHeld(state, unit),
    granted,
    guidance: state.course.guidance,
    discoveries: state.course.discoveries,
  };
}
