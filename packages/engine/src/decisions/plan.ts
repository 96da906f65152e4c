import type { Plan, PlanError } from '@loom/shared/plan';
import { isTerminalTask } from '@loom/shared/statuses';
import type { SubtaskState, TaskState } from '@loom/shared/task-state';
import { addError, type Draft, taskEvent } from '../draft.ts';
import { finishTask, settleTask } from '../settle-task.ts';
import { validatePlan } from '../validate-plan.ts';

/** A task begins: with the caller's plan, or by asking a planner for one. */
export function begin(draft: Draft, plan: Plan | null): void {
  if (!awaitsPlan(draft.state) || draft.state.plan_attempts > 0) return;
  taskEvent(draft, 'task.queued', { goal: draft.state.goal });
  if (plan === null) askPlanner(draft);
  else acceptPlan(draft, plan, false);
}

/** A plan is still wanted: whatever planners say before or after that is late. */
export function awaitsPlan(state: TaskState): boolean {
  return state.plan_version === 0 && !isTerminalTask(state.status);
}

/** Hands the task to a planner, each time as a new unit. */
export function askPlanner(draft: Draft): void {
  draft.state.plan_attempts += 1;
  draft.units.push({
    queue: 'plans',
    subtask_id: null,
    attempt: draft.state.plan_attempts,
    tier: null,
  });
}

/** A planner took the task up. */
export function startPlanning(draft: Draft): void {
  if (!awaitsPlan(draft.state)) return;
  if (draft.state.status === 'queued') {
    draft.state.status = 'planning';
    taskEvent(draft, 'task.planning');
  } else {
    taskEvent(draft, 'run.recovered', { queue: 'plans' });
  }
}

/** A plan arrived: it runs if its graph holds, else the task fails with what is wrong. */
export function acceptPlan(draft: Draft, plan: Plan, degraded: boolean): void {
  const { state } = draft;
  if (!awaitsPlan(state)) return;
  const errors = validatePlan(plan);
  if (errors.length > 0) {
    rejectPlan(draft, errors);
    return;
  }
  state.plan_version = 1;
  state.subtasks = plan.subtasks.map(freshSubtask);
  draft.plan = { version: 1, subtasks: plan.subtasks, degraded };
  taskEvent(draft, 'task.plan_ready', {
    plan_version: state.plan_version,
    subtasks: plan.subtasks.map(({ id, description, depends_on, is_synthesis }) => ({
      id,
      description,
      depends_on,
      is_synthesis,
    })),
  });
  state.status = 'running';
  taskEvent(draft, 'task.running');
  settleTask(draft);
}

/** The planner kept giving a graph that cannot run. */
export function rejectPlan(draft: Draft, errors: PlanError[]): void {
  if (!awaitsPlan(draft.state)) return;
  taskEvent(draft, 'task.plan_rejected', { errors });
  for (const { subtask_id, message } of errors) {
    addError(draft, { code: 'invalid_plan', message: `${subtask_id}: ${message}`, subtask_id });
  }
  finishTask(draft, 'failed');
}

/** No usable plan could be had: one subtask does the whole goal, or the task fails. */
export function goOnWithoutPlan(draft: Draft, reason: string, degrade: boolean): void {
  if (!awaitsPlan(draft.state)) return;
  if (!degrade) {
    addError(draft, { code: 'plan_unavailable', message: reason });
    finishTask(draft, 'failed');
    return;
  }
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

function freshSubtask(spec: Plan['subtasks'][number]): SubtaskState {
  return {
    id: spec.id,
    spec,
    status: 'pending',
    verification: 'unverified',
    attempts: 0,
    attempts_forgiven: 0,
    deferrals: 0,
    feedback: null,
    summary: null,
    error: null,
  };
}
