import type { UnitHandlers } from '@loom/runtime/start-worker';
import { handlePlan, type PlannerDeps } from './handle-plan.ts';

/** What a planner does with the jobs of its queue. */
export function plannerHandlers(deps: PlannerDeps): UnitHandlers {
  return { plans: (unit, context) => handlePlan(deps, unit, context) };
}
