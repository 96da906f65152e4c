import { nothingSpent, type Spent, type Wants } from '@loom/shared/budget';
import { holdKey } from '@loom/shared/task-course';
import type { TaskState } from '@loom/shared/task-state';
import { checkCovered } from './budget-checks.ts';
import type { DatabaseFaults } from './database-faults.ts';
import type { TaskRow, UnitRow } from './rows.ts';

const counts = ['model_calls', 'tool_calls', 'mutating_tool_calls'] as const;

/** Charges what calls have cost to the task and to the budgets above it; a grant shrinks as it is used. False when nothing was spent. */
export function spend(row: TaskRow, unit: UnitRow, spent: Spent, faults: DatabaseFaults): boolean {
  if (spent === nothingSpent) return false;
  checkCovered(row, unit, spent);
  const before = row.state;
  const key = holdKey(unit);
  const { [key]: hold, ...others } = before.course.holds;
  const settles = hold !== undefined && faults.keepsSpentHolds !== true;
  const holds = settles ? { ...others, [key]: subtract(hold, spent) } : before.course.holds;
  row.state = { ...before, spent: add(before.spent, spent), course: { ...before.course, holds } };
  for (const scope of row.scopes) scope.spent = add(scope.spent, spent);
  moveHolds(row, before, faults);
  return true;
}

/** Brings the holds of the budgets above a task in line with its own. */
export function moveHolds(
  { state, scopes }: TaskRow,
  { course }: TaskState,
  faults: DatabaseFaults,
): void {
  if (faults.forgetsHolds === true) return;
  for (const scope of scopes) {
    const held = { ...scope.held };
    for (const name of counts) {
      for (const wants of Object.values(course.holds)) held[name] -= wants[name];
      for (const wants of Object.values(state.course.holds)) held[name] += wants[name];
    }
    scope.held = held;
  }
}

function subtract(hold: Wants, spent: Spent): Wants {
  return {
    model_calls: Math.max(0, hold.model_calls - spent.model_calls),
    tool_calls: Math.max(0, hold.tool_calls - spent.tool_calls),
    mutating_tool_calls: Math.max(0, hold.mutating_tool_calls - spent.mutating_tool_calls),
  };
}

function add(total: Spent, more: Spent): Spent {
  return {
    tokens: total.tokens + more.tokens,
    cost_micros: total.cost_micros + more.cost_micros,
    model_calls: total.model_calls + more.model_calls,
    tool_calls: total.tool_calls + more.tool_calls,
    mutating_tool_calls: total.mutating_tool_calls + more.mutating_tool_calls,
  };
}
