import type { BudgetLimits, BudgetScope, Spent, Wants } from '@loom/shared/budget';
import { isTerminalTask } from '@loom/shared/statuses';
import type { DecisionContext, TaskDecision, TaskState } from '@loom/shared/task-state';
import { addWants } from '../budget.ts';
import { demand } from './demand.ts';

const counts = [
  ['max_model_calls', 'model_calls'],
  ['max_tool_calls', 'tool_calls'],
  ['max_mutating_tool_calls', 'mutating_tool_calls'],
] as const;

/** What was granted stays within every budget; once one is spent for good nothing more begins. */
export function checkBudgets(
  before: TaskState,
  { state, units, events }: TaskDecision,
  { scopes }: DecisionContext,
): void {
  const { holds, exhausted } = state.course;
  if (holds === before.course.holds && exhausted === null) return;
  const granted = Object.entries(holds).filter(
    ([key, wants]) => before.course.holds[key] !== wants,
  );
  const had = addWants(Object.values(before.course.holds));
  const has = addWants(Object.values(holds));
  for (const [, wants] of granted) {
    checkWithin(state.limits, state.spent, has, wants, 'the task');
    for (const scope of scopes) {
      checkWithin(scope.limits, scope.spent, movedHolds(scope, had, has), wants, scope.kind);
    }
  }
  if (isTerminalTask(state.status))
    demand(granted.length === 0, 'an ended task is granted nothing');
  if (exhausted === null) return;
  demand(granted.length === 0, 'nothing is granted once a budget is spent');
  const late = before.course.exhausted !== null;
  const begun = units.filter(({ queue }) => queue === 'subtasks' || (late && queue === 'plans'));
  demand(begun.length === 0, 'nothing begins once a budget is spent');
  demand(
    isTerminalTask(state.status) || state.errors.some(({ code }) => code === 'budget_exhausted'),
    'a spent budget is among the errors',
  );
  if (before.course.exhausted !== null || isTerminalTask(before.status)) return;
  demand(
    events.some(({ type }) => type === 'task.budget_exhausted') ||
      before.course.paused?.reason === 'budget',
    'a spent budget is named by an event',
  );
}

function movedHolds({ held }: BudgetScope, had: Wants, has: Wants): Wants {
  return {
    model_calls: held.model_calls - had.model_calls + has.model_calls,
    tool_calls: held.tool_calls - had.tool_calls + has.tool_calls,
    mutating_tool_calls:
      held.mutating_tool_calls - had.mutating_tool_calls + has.mutating_tool_calls,
  };
}

function checkWithin(
  limits: BudgetLimits,
  spent: Spent,
  held: Wants,
  wants: Wants,
  whose: string,
): void {
  for (const [budget, name] of counts) {
    const limit = limits[budget] ?? 0;
    const within = limit === 0 || wants[name] === 0 || spent[name] + held[name] <= limit;
    demand(within, () => `${budget} of ${whose} bounds what is granted`);
  }
  const { max_tokens = 0, max_cost_usd = 0 } = limits;
  demand(
    max_tokens === 0 || spent.tokens < max_tokens,
    () => `max_tokens of ${whose} bounds calls`,
  );
  const usd = spent.cost_micros / 1_000_000;
  demand(max_cost_usd === 0 || usd < max_cost_usd, () => `max_cost_usd of ${whose} bounds calls`);
}
