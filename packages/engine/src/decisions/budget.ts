import type { BudgetLimits, Exhaustion, Wants } from '@loom/shared/budget';
import { isTerminalTask } from '@loom/shared/statuses';
import { holdKey } from '@loom/shared/task-course';
import type { TaskState, UnitKey } from '@loom/shared/task-state';
import { openApproval } from '../approvals.ts';
import { addWants, findExhaustion, limitsCalls } from '../budget.ts';
import { addError, type Draft, setCourse, taskEvent } from '../draft.ts';

/** The clock of `max_seconds` starts with the task. */
export function startClock(draft: Draft): void {
  const seconds = draft.state.limits.max_seconds ?? 0;
  setCourse(draft, { deadline: seconds > 0 ? draft.context.now + seconds * 1_000 : null });
}

/** A unit asks before it makes calls. */
export function wantCalls(draft: Draft, unit: UnitKey, wants: Wants): void {
  const { state } = draft;
  // Whoever wraps up makes no more calls, and a unit that is over has none to make.
  if (isTerminalTask(state.status) || state.cancel_mode !== null) return;
  if (isAtWork(state, unit)) reserve(draft, unit, wants);
}

/** Grants calls to a unit, in place of what it was granted before; false when a budget refuses them. */
export function reserve(draft: Draft, unit: UnitKey, wants: Wants): boolean {
  const { state, context } = draft;
  const { limits, spent, course } = state;
  if (course.exhausted !== null) return false;
  if (!limitsCalls(limits) && context.scopes.length === 0) return true;
  const key = holdKey(unit);
  const { [key]: mine, ...others } = course.holds;
  const own = addWants(mine === undefined ? [] : [mine]);
  let refused = findExhaustion(limits, spent, addWants(Object.values(others)), wants, 'task');
  for (const scope of context.scopes) {
    const held = {
      model_calls: scope.held.model_calls - own.model_calls,
      tool_calls: scope.held.tool_calls - own.tool_calls,
      mutating_tool_calls: scope.held.mutating_tool_calls - own.mutating_tool_calls,
    };
    refused ??= findExhaustion(scope.limits, scope.spent, held, wants, scope.kind);
  }
  if (refused === null) {
    setCourse(draft, { holds: { ...others, [key]: wants } });
    return true;
  }
  setCourse(draft, { holds: others });
  exhaust(draft, refused);
  return false;
}

/** Gives back the grants of units that are over. */
export function releaseHolds(draft: Draft): void {
  const { state } = draft;
  const holds = Object.entries(state.course.holds);
  const kept = holds.filter(([key]) => isAtWork(state, unitOfHold(key)));
  if (kept.length < holds.length) setCourse(draft, { holds: Object.fromEntries(kept) });
}

function unitOfHold(key: string): UnitKey {
  const [queue, subtask_id, attempt] = key.split('/');
  return {
    queue: queue as UnitKey['queue'],
    subtask_id: subtask_id || null,
    attempt: Number(attempt),
  };
}

/** Whether somebody may be working on a unit. */
function isAtWork(state: TaskState, { queue, subtask_id, attempt }: UnitKey): boolean {
  if (queue === 'plans') {
    const planning = state.plan_version === 0 || state.course.replan !== null;
    return planning && attempt === state.plan_attempts;
  }
  const status = queue === 'subtasks' ? 'running' : 'verifying';
  return state.subtasks.some(
    (one) => one.id === subtask_id && one.attempts === attempt && one.status === status,
  );
}

/** A budget is spent: the task ends with what it has, or pauses and asks for more. */
export function exhaust(draft: Draft, exhaustion: Exhaustion): void {
  const { state } = draft;
  const { policy, course } = state;
  if (course.exhausted !== null || course.paused?.reason === 'budget') return;
  taskEvent(draft, 'task.budget_exhausted', { ...exhaustion });
  draft.unsettled = true;
  const { budget, scope, used, limit } = exhaustion;
  if (policy.on_budget === 'pause' && scope !== 'tenant') {
    setCourse(draft, { paused: { by: 'budget', reason: 'budget', exhaustion } });
    taskEvent(draft, 'task.paused', { by: 'budget', reason: 'budget' });
    openApproval(draft, {
      kind: 'budget',
      subtask: null,
      arguments: { scope, [budget]: limit * 2 },
      reason: `The ${scope}'s ${budget} of ${limit} is spent (${used} used). Raise it and go on?`,
      seconds: policy.approval.timeout_seconds,
      on_timeout: 'deny',
    });
    return;
  }
  endOnBudget(draft, exhaustion);
}

/** From here on nothing more begins, and the task ends with what it has. */
export function endOnBudget(draft: Draft, exhaustion: Exhaustion): void {
  const { budget, scope, used, limit } = exhaustion;
  setCourse(draft, { exhausted: exhaustion });
  addError(draft, {
    code: 'budget_exhausted',
    message: `The ${scope}'s ${budget} of ${limit} is spent (${used} used).`,
  });
}

/** Replaces limits; those that are not named stay. */
export function raiseLimits(draft: Draft, limits: BudgetLimits, by: string): void {
  const { state } = draft;
  state.limits = { ...state.limits, ...limits };
  if (limits.max_seconds !== undefined) startClock(draft);
  taskEvent(draft, 'task.budget_raised', { limits: state.limits, by });
}
