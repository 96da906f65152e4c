import type { BudgetLimits } from '@loom/shared/budget';
import type { Config } from '@loom/shared/config';

/** The budgets of a task that brings none of its own; what is off is left out. */
export function defaultLimits({ execution }: Pick<Config, 'execution'>): BudgetLimits {
  const configured: BudgetLimits = {
    max_tokens: execution.max_task_total_tokens,
    max_cost_usd: execution.max_task_cost_usd,
    max_model_calls: execution.max_task_model_invocations,
    max_tool_calls: execution.max_task_tool_calls,
    max_mutating_tool_calls: execution.max_task_mutating_tool_calls,
    max_replans: execution.max_task_replans,
    max_remediation_attempts: execution.max_task_remediation_attempts,
    max_seconds: execution.max_task_wall_clock_seconds,
  };
  return Object.fromEntries(Object.entries(configured).filter(([, limit]) => limit > 0));
}
