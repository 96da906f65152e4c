import type { Plan, PlanError } from '@loom/shared/plan';
import { isTerminalTask } from '@loom/shared/statuses';
import type { TaskState } from '@loom/shared/task-state';
import { openApproval } from '../approvals.ts';
import { addError, type Draft, taskEvent } from '../draft.ts';
import { finishTask } from '../finish-task.ts';
import { newSubtask } from '../new-task.ts';
import { diffPlans } from '../plan-diff.ts';
import { validatePlan } from '../validate-plan.ts';
import { reserve, startClock } from './budget.ts';
import { acceptReplan, rejectReplan } from './replan.ts';

/** A task begins: with the caller's plan, or by asking a planner for one. */
export function begin(draft: Draft, plan: Plan | null): void {
  if (!awaitsPlan(draft.state) || draft.state.plan_attempts > 0) return;
  taskEvent(draft, 'task.queued', { goal: draft.state.goal });
  startClock(draft);
  if (plan === null) askPlanner(draft);
  else acceptPlan(draft, plan, false);
}

/** A first plan is still wanted, or a new one: whatever planners say otherwise is late. */
export function awaitsPlan(state: TaskState, attempt: number = state.plan_attempts): boolean {
  if (isTerminalTask(state.status) || state.cancel_mode !== null) return false;
  if (attempt !== state.plan_attempts) return false;
  if (state.course.approvals.some(({ kind }) => kind === 'plan')) return false;
  return state.plan_version === 0 || state.course.replan !== null;
}

/** Hands the task to a planner, each time as a new unit. */
export function askPlanner(draft: Draft): void {
  draft.state.plan_attempts += 1;
  draft.units.push({
    queue: 'plans',
    subtask_id: null,
    attempt: draft.state.plan_attempts,
    tier: null,
    round: 1,
  });
}

/** A planner took the task up. */
export function startPlanning(draft: Draft, attempt: number, resumed: boolean): void {
  const { state } = draft;
  if (!awaitsPlan(state, attempt) || state.course.paused !== null) return;
  const unit = { queue: 'plans', subtask_id: null, attempt } as const;
  const granted = reserve(draft, unit, { model_calls: 1, tool_calls: 0, mutating_tool_calls: 0 });
  if (!granted) {
    // A paused task's unit waits; a spent one has no use for a plan.
    if (state.course.exhausted !== null) goOnWithoutPlan(draft, attempt, 'the budget was spent');
    return;
  }
  if (state.status === 'queued') {
    state.status = 'planning';
    taskEvent(draft, 'task.planning');
  } else if (!resumed && state.plan_version === 0) {
    taskEvent(draft, 'run.recovered', { queue: 'plans' });
  }
}

/** A planner's plan arrived. */
export function takePlan(draft: Draft, attempt: number, plan: Plan): void {
  if (!awaitsPlan(draft.state, attempt)) return;
  if (draft.state.plan_version > 0) acceptReplan(draft, plan);
  else acceptPlan(draft, plan, false);
}

/** A first plan runs if its graph holds, else the task fails with what is wrong. */
export function acceptPlan(draft: Draft, plan: Plan, degraded: boolean): void {
  const { state } = draft;
  const errors = validatePlan(plan);
  if (errors.length > 0) {
    failPlanning(draft, errors);
    return;
  }
  state.plan_version = 1;
  state.subtasks = plan.subtasks.map(newSubtask);
  const diff = diffPlans([], plan.subtasks);
  draft.plan = { version: 1, subtasks: plan.subtasks, degraded, reason: 'first plan', diff };
  taskEvent(draft, 'task.plan_ready', {
    plan_version: state.plan_version,
    subtasks: plan.subtasks.map(({ id, description, depends_on, is_synthesis }) => ({
      id,
      description,
      depends_on,
      is_synthesis,
    })),
  });
  draft.unsettled = true;
  // A paused task has its plan and stays paused; going on says what it does then.
  if (state.course.paused !== null) return;
  state.status = 'running';
  taskEvent(draft, 'task.running');
}

/** The planner kept giving a graph that cannot run. */
export function rejectPlan(draft: Draft, attempt: number, errors: PlanError[]): void {
  if (!awaitsPlan(draft.state, attempt)) return;
  if (draft.state.plan_version > 0) rejectReplan(draft, errors);
  else failPlanning(draft, errors);
}

function failPlanning(draft: Draft, errors: PlanError[]): void {
  taskEvent(draft, 'task.plan_rejected', { errors });
  for (const { subtask_id, message } of errors) {
    addError(draft, { code: 'invalid_plan', message: `${subtask_id}: ${message}`, subtask_id });
  }
  finishTask(draft, 'failed');
}

/** No usable plan could be had: the policy says whether one subtask does the whole goal. */
export function goOnWithoutPlan(draft: Draft, attempt: number, reason: string): void {
  const { state } = draft;
  if (!awaitsPlan(state, attempt)) return;
  if (state.plan_version > 0) {
    rejectReplan(draft, [{ subtask_id: 'plan', code: 'malformed', message: reason }]);
    return;
  }
  const mode = state.course.exhausted === null ? state.policy.planner_degraded_mode : 'deny';
  if (mode === 'allow') {
    degradePlan(draft, reason);
  } else if (mode === 'require_approval') {
    openApproval(draft, {
      kind: 'plan',
      subtask: null,
      arguments: { reason },
      reason: `No plan could be made: ${reason}. Do the whole goal as one subtask?`,
      seconds: state.policy.approval.timeout_seconds,
      on_timeout: state.policy.approval.on_timeout,
    });
  } else {
    addError(draft, { code: 'plan_unavailable', message: reason });
    finishTask(draft, 'failed');
  }
}

/** Does the goal as one subtask. */
export function degradePlan(draft: Draft, reason: string): void {
  taskEvent(draft, 'task.plan_degraded', { reason });
  acceptPlan(draft, { subtasks: [wholeGoalSubtask(draft.state.goal)] }, true);
}

function wholeGoalSubtask(goal: string): Plan['subtasks'][number] {
  return {
    id: 'execute-goal',
    // A cut through a surrogate pair would leave text that cannot be stored.
    description: goal.slice(0, 20_000).toWellFormed(),
    depends_on: [],
    model_tier: 2,
    verification_tier: 2,
    is_critical_path: true,
    is_synthesis: false,
    max_retries: 3,
    acceptance_criteria: [],
    deliverables: [],
    checks: [],
    risk: 'low',
  };
}

/** A planner that kept dying ends the task, or leaves it its old plan. */
export function buryPlan(draft: Draft, attempt: number | null, reason: string): void {
  const { state } = draft;
  if (!awaitsPlan(state, attempt ?? state.plan_attempts)) return;
  if (state.plan_version > 0) {
    rejectReplan(draft, [{ subtask_id: 'plan', code: 'malformed', message: reason }]);
    return;
  }
  addError(draft, { code: 'dead_letter', message: reason });
  finishTask(draft, 'failed');
}
