import type { PlanBrief, PlannedSubtask } from '@loom/db/load-plan-brief';
import { configSchema } from '@loom/shared/config';
import { planSubtaskSchema } from '@loom/shared/plan';
import { type TaskPolicy, taskPolicy } from '@loom/shared/task-policy';

/** The default policy, unless the fields say otherwise. */
export function policyWith(fields: Partial<TaskPolicy> = {}): TaskPolicy {
  return { ...taskPolicy(configSchema.parse({}), { in_session: false }), ...fields };
}

/** A subtask of the plan there is, pending unless the fields say otherwise. */
export function planned(
  id: string,
  {
    description = `Write ${id}.md`,
    ...fields
  }: Partial<PlannedSubtask & { description: string }> = {},
): PlannedSubtask {
  return {
    spec: planSubtaskSchema.parse({ id, description }),
    status: 'pending',
    attempts: 0,
    summary: null,
    error: null,
    feedback: null,
    ...fields,
  };
}

/** What a planner sees of a task that has just begun, unless the fields say otherwise. */
export function planBrief(fields: Partial<PlanBrief> = {}): PlanBrief {
  return {
    goal: 'Write a.md',
    context: {},
    workspace: null,
    plan_version: 0,
    plan_attempts: 1,
    policy: policyWith(),
    replan: null,
    guidance: [],
    acknowledged: [],
    discoveries: [],
    errors: [],
    subtasks: [],
    stopping: false,
    pausing: false,
    model_parks: 0,
    ...fields,
  };
}
