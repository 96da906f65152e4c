import type { PlanBrief } from '@loom/db/load-plan-brief';
import type { Plan } from '@loom/shared/plan';
import type { SubtaskState } from '@loom/shared/task-state';

/** By what a planner's answers are judged. */
export interface PlanRules {
  /** Times a plan that cannot run is asked for again. */
  structural_retries: number;
  /** Whether a graph is set right where that is safe, instead of being refused. */
  normalise: boolean;
  /** The subtasks that a new version has to keep; none for a first plan. */
  existing: readonly Pick<SubtaskState, 'id' | 'status'>[];
}

/** The rules that a task's policy and its present plan set for the next one. */
export function planRules({ policy, subtasks }: Pick<PlanBrief, 'policy' | 'subtasks'>): PlanRules {
  const { phase_mode } = policy;
  return {
    structural_retries: phase_mode === 'strict' ? 2 : 1,
    normalise: phase_mode === 'guided' || phase_mode === 'suggestive',
    existing: subtasks.map(({ spec, status }) => ({ id: spec.id, status })),
  };
}

/** The plan of a process that leaves the planner no choice; null when there is something to ask. */
export function fixedPlan({
  policy,
  subtasks,
}: Pick<PlanBrief, 'policy' | 'subtasks'>): Plan | null {
  if (policy.phase_mode !== 'strict' || policy.phases.length === 0) return null;
  // Later versions keep what people changed about a phase.
  return { subtasks: subtasks.length === 0 ? policy.phases : subtasks.map(({ spec }) => spec) };
}
