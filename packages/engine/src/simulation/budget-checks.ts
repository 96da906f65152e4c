import type { BudgetLimits, Spent, Wants } from '@loom/shared/budget';
import { holdKey } from '@loom/shared/task-course';
import { addWants, limitsCalls } from '../budget.ts';
import { demand } from '../test-support/demand.ts';
import type { TaskRow, UnitRow } from './rows.ts';
import { isStarted } from './unit-view.ts';

const counts = [
  ['max_model_calls', 'model_calls'],
  ['max_tool_calls', 'tool_calls'],
  ['max_mutating_tool_calls', 'mutating_tool_calls'],
] as const;

/** Calls were made: they had been granted before, and are overdrawn if that was taken back meanwhile. */
export function checkCovered(row: TaskRow, unit: UnitRow, spent: Spent): void {
  if (row.scopes.length === 0 && !limitsCalls(row.state.limits)) return;
  const hold = row.state.course.holds[holdKey(unit)];
  for (const [, name] of counts) {
    const uncovered = spent[name] - (hold?.[name] ?? 0);
    if (uncovered <= 0) continue;
    const over = !isStarted(row.state, unit);
    demand(
      over,
      () => `${unit.id}: ${spent[name]} ${name} were made and ${hold?.[name] ?? 0} granted`,
    );
    row.overdrawn[name] += uncovered;
  }
}

/** Every budget holds what its tasks hold, and counts each call once: as granted, or as made. */
export function checkScopes(rows: Iterable<TaskRow>): void {
  const tasksOf = new Map<TaskRow['scopes'][number], TaskRow[]>();
  for (const row of rows) {
    const { state, scopes, overdrawn } = row;
    checkCounts(state.limits, state.spent, holdsOf(row), overdrawn, state.id);
    for (const scope of scopes) tasksOf.set(scope, [...(tasksOf.get(scope) ?? []), row]);
  }
  for (const [scope, tasks] of tasksOf) {
    const held = addWants(tasks.map(holdsOf));
    for (const [, name] of counts) {
      demand(
        scope.held[name] === held[name],
        () => `${scope.id}: holds ${scope.held[name]} ${name}, its tasks ${held[name]}`,
      );
    }
    const overdrawn = addWants(tasks.map((row) => row.overdrawn));
    checkCounts(scope.limits, scope.spent, held, overdrawn, scope.id);
  }
}

function holdsOf({ state }: TaskRow): Wants {
  return addWants(Object.values(state.course.holds));
}

function checkCounts(
  limits: BudgetLimits,
  spent: Spent,
  held: Wants,
  overdrawn: Wants,
  whose: string,
): void {
  for (const [budget, name] of counts) {
    const limit = limits[budget] ?? 0;
    const used = spent[name] + held[name] - overdrawn[name];
    demand(
      limit === 0 || used <= limit,
      () => `${whose}: ${used} of ${limit} ${name} are used or held`,
    );
  }
}
