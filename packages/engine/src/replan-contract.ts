import type { Plan, PlanError } from '@loom/shared/plan';
import type { SubtaskState } from '@loom/shared/task-state';

/** What a new plan may not do: forget a subtask. What is finished stays as it is, whatever the plan says of it. */
export function replanErrors(
  current: readonly Pick<SubtaskState, 'id' | 'status'>[],
  plan: Plan,
): PlanError[] {
  const byId = new Map(plan.subtasks.map((spec) => [spec.id, spec]));
  return current.flatMap(({ id }): PlanError[] =>
    byId.has(id)
      ? []
      : [
          {
            subtask_id: id,
            code: 'dropped',
            message: 'is part of the current plan and has to stay in it',
          },
        ],
  );
}
