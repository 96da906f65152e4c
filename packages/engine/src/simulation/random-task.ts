import {
  type BudgetLimits,
  type BudgetScope,
  nothingSpent,
  nothingWanted,
} from '@loom/shared/budget';
import { type CriticalPathBehavior, criticalPathBehaviors } from '@loom/shared/task-policy';
import type { TaskState } from '@loom/shared/task-state';
import { newTask } from '../new-task.ts';
import { policyOf } from '../test-support/task-fixtures.ts';
import type { Random } from './random.ts';

/** A task under any policy and any budget. */
export function randomTask(random: Random, id: string): TaskState {
  return newTask({
    id,
    goal: 'build it',
    max_parallel: random.int(1, 4),
    policy: policyOf({
      max_plan_versions: random.int(1, 4),
      replan_interval: random.pick([0, 0, 2]),
      replan_on_discovery: random.chance(0.5),
      planner_degraded_mode: random.pick(['allow', 'require_approval', 'deny']),
      critical_path_behavior: random.pick<CriticalPathBehavior>([...criticalPathBehaviors]),
      max_stall_recoveries: random.int(0, 2),
      max_verification_rounds: random.int(1, 3),
      confirm_or_prune: { max_attempts: random.int(0, 2), backoff_seconds: random.pick([0, 2]) },
      remediation: {
        max_attempts: random.int(1, 3),
        backoff_seconds: random.pick([1, 5]),
        max_backoff_seconds: 10,
        ttl_seconds: random.pick([4, 120]),
      },
      approval: {
        mode: random.pick(['auto', 'auto', 'manual', 'confidence_threshold', 'disabled']),
        timeout_seconds: random.pick([10, 60, 120]),
        objection_seconds: random.pick([2, 10]),
        on_timeout: random.pick(['deny', 'approve']),
      },
      on_budget: random.pick(['fail', 'pause']),
    }),
    limits: random.chance(0.5) ? {} : randomLimits(random, 1),
  });
}

/** A few limits, some of them tight; `breadth` grows with the number of those who share them. */
export function randomLimits(random: Random, breadth: number): BudgetLimits {
  const some = (limits: BudgetLimits) => (random.chance(0.3) ? limits : {});
  const upTo = (most: number) => random.int(1, most * breadth);
  return {
    ...some({ max_tokens: upTo(20_000) }),
    ...some({ max_cost_usd: upTo(20_000) / 1_000_000 }),
    ...some({ max_model_calls: upTo(40) }),
    ...some({ max_tool_calls: upTo(40) }),
    ...some({ max_mutating_tool_calls: upTo(20) }),
    ...some({ max_replans: random.int(1, 2) }),
    ...some({ max_remediation_attempts: random.int(1, 3) }),
    ...some({ max_seconds: random.int(20, 600) }),
  };
}

/** A budget above tasks. */
export function randomScope(random: Random, kind: BudgetScope['kind']): BudgetScope[] {
  if (random.chance(0.7)) return [];
  const { max_tokens, max_model_calls, max_tool_calls } = randomLimits(random, 3);
  const limits = {
    ...(max_tokens === undefined ? {} : { max_tokens }),
    ...(max_model_calls === undefined ? {} : { max_model_calls }),
    ...(max_tool_calls === undefined ? {} : { max_tool_calls }),
  };
  return [{ id: kind, kind, limits, spent: nothingSpent, held: nothingWanted }];
}
