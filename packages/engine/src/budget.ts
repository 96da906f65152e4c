import type { BudgetLimits, BudgetName, Exhaustion, Spent, Wants } from '@loom/shared/budget';

/** Which limit refuses these calls, or null. Counts are exact; what a call will cost is known only afterwards. */
export function findExhaustion(
  limits: BudgetLimits,
  spent: Spent,
  held: Wants,
  wants: Wants,
  scope: Exhaustion['scope'],
): Exhaustion | null {
  const refuse = (budget: BudgetName, used: number): Exhaustion => ({
    budget,
    scope,
    used,
    limit: limits[budget] ?? 0,
  });
  for (const [budget, name] of counted) {
    const limit = limits[budget] ?? 0;
    if (limit > 0 && wants[name] > 0 && spent[name] + held[name] + wants[name] > limit) {
      return refuse(budget, spent[name] + held[name]);
    }
  }
  const tokens = limits.max_tokens ?? 0;
  if (tokens > 0 && spent.tokens >= tokens) return refuse('max_tokens', spent.tokens);
  const cost = limits.max_cost_usd ?? 0;
  const usd = spent.cost_micros / 1_000_000;
  if (cost > 0 && usd >= cost) return refuse('max_cost_usd', usd);
  return null;
}

const counted = [
  ['max_model_calls', 'model_calls'],
  ['max_tool_calls', 'tool_calls'],
  ['max_mutating_tool_calls', 'mutating_tool_calls'],
] as const satisfies readonly (readonly [BudgetName, keyof Wants])[];

/** Whether anything limits the calls of a task. */
export function limitsCalls(limits: BudgetLimits): boolean {
  const names = ['max_tokens', 'max_cost_usd', ...counted.map(([budget]) => budget)] as const;
  return names.some((name) => (limits[name] ?? 0) > 0);
}

/** What several grants add up to. */
export function addWants(wants: readonly Wants[]): Wants {
  const sum: Wants = { model_calls: 0, tool_calls: 0, mutating_tool_calls: 0 };
  for (const one of wants) {
    sum.model_calls += one.model_calls;
    sum.tool_calls += one.tool_calls;
    sum.mutating_tool_calls += one.mutating_tool_calls;
  }
  return sum;
}
