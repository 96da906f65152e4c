import { type BudgetScope, nothingSpent, nothingWanted } from '@loom/shared/budget';
import { criticalPathBehaviors } from '@loom/shared/task-policy';
import type { TaskState } from '@loom/shared/task-state';
import fc from 'fast-check';
import { freshTask, policyOf } from './task-fixtures.ts';

/** A task under any policy and any budget. */
export const anyTask: fc.Arbitrary<TaskState> = fc
  .record({
    max_parallel: fc.integer({ min: 1, max: 3 }),
    policy: fc.record({
      max_plan_versions: fc.integer({ min: 1, max: 3 }),
      replan_interval: fc.nat(2),
      replan_on_discovery: fc.boolean(),
      planner_degraded_mode: fc.constantFrom('allow', 'require_approval', 'deny'),
      critical_path_behavior: fc.constantFrom(...criticalPathBehaviors, 'queue_follow_up' as const),
      max_stall_recoveries: fc.nat(2),
      max_verification_rounds: fc.integer({ min: 1, max: 2 }),
      confirm_or_prune: fc.record({
        max_attempts: fc.nat(2),
        backoff_seconds: fc.constantFrom(0, 2),
      }),
      remediation: fc.record({
        max_attempts: fc.integer({ min: 1, max: 2 }),
        ttl_seconds: fc.constantFrom(3, 60),
      }),
      approval: fc.record({
        mode: fc.constantFrom('auto', 'auto', 'manual', 'confidence_threshold', 'disabled'),
        timeout_seconds: fc.constantFrom(5, 60),
        objection_seconds: fc.constantFrom(2, 10),
        on_timeout: fc.constantFrom('deny', 'approve'),
      }),
      on_budget: fc.constantFrom('fail', 'pause'),
    }),
    limits: fc.oneof(
      fc.constant({}),
      fc.constant({}),
      fc.record(
        {
          max_tokens: fc.integer({ min: 1, max: 3_000 }),
          max_cost_usd: fc.constantFrom(0, 0.001),
          max_model_calls: fc.integer({ min: 0, max: 20 }),
          max_tool_calls: fc.integer({ min: 0, max: 12 }),
          max_mutating_tool_calls: fc.integer({ min: 0, max: 5 }),
          max_replans: fc.nat(2),
          max_remediation_attempts: fc.nat(2),
          max_seconds: fc.constantFrom(0, 60, 300),
        },
        { requiredKeys: [] },
      ),
    ),
  })
  .map(({ policy, ...fields }) => freshTask({ ...fields, policy: policyOf(policy) }));

const anyScope = (kind: BudgetScope['kind']): fc.Arbitrary<BudgetScope> =>
  fc
    .record({
      max_tokens: fc.constantFrom(0, 2_000),
      max_model_calls: fc.constantFrom(0, 8),
      max_tool_calls: fc.constantFrom(0, 8),
    })
    .map((limits) => ({ id: kind, kind, limits, spent: nothingSpent, held: nothingWanted }));

/** The budgets above a task: mostly none. */
export const anyScopes: fc.Arbitrary<BudgetScope[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<BudgetScope[]>([]) },
  { weight: 1, arbitrary: anyScope('session').map((scope) => [scope]) },
  { weight: 1, arbitrary: fc.tuple(anyScope('session'), anyScope('tenant')) },
);
