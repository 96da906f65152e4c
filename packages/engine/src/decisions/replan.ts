import type { Plan, PlanError } from '@loom/shared/plan';
import { isTerminalTask } from '@loom/shared/statuses';
import { emptyTrail } from '@loom/shared/task-course';
import type { ReplanReason, SubtaskState } from '@loom/shared/task-state';
import { closeApproval, dropApprovals, openApproval } from '../approvals.ts';
import { failureSignature } from '../classify-failure.ts';
import { type Draft, setCourse, setTrail, subtaskEvent, taskEvent } from '../draft.ts';
import { newSubtask } from '../new-task.ts';
import { diffPlans, isSameSpec } from '../plan-diff.ts';
import { isFollowedUp } from '../remediation.ts';
import { replanErrors } from '../replan-contract.ts';
import { validatePlan } from '../validate-plan.ts';

/** Reasons for which a plan is improved, not saved: without a replan the work goes on as planned. */
const optional: readonly ReplanReason[] = ['discovery', 'interval'];
/** Reasons that a person gave: they also open a plan that was thought final. */
const personal: readonly ReplanReason[] = ['steered', 'requested'];

const maxDetail = 2_000;

/** Asks for a new plan, one at a time and within its bounds; false when there will be none. */
export function requestReplan(draft: Draft, reason: ReplanReason, detail: string): boolean {
  const { state } = draft;
  const { course, policy, limits } = state;
  if (isTerminalTask(state.status) || state.cancel_mode !== null || state.plan_version === 0) {
    return false;
  }
  if (course.exhausted !== null) return false;
  if (course.replan !== null) {
    const { next } = course.replan;
    const waits = reason === 'subtask_failed' || (next !== null && personal.includes(next));
    if (!waits) setCourse(draft, { replan: { ...course.replan, next: reason } });
    return true;
  }
  if (course.approvals.some(({ kind }) => kind === 'replan')) return true;
  if (course.plan_is_final && !personal.includes(reason)) return false;
  const maxReplans = limits.max_replans ?? 0;
  if (maxReplans > 0 && course.replans >= maxReplans) {
    if (optional.includes(reason)) return false;
    setCourse(draft, { plan_is_final: true });
    taskEvent(draft, 'task.budget_exhausted', {
      budget: 'max_replans',
      scope: 'task',
      used: course.replans,
      limit: maxReplans,
    });
    return false;
  }
  if (state.plan_version >= policy.max_plan_versions + course.extra_versions) {
    if (optional.includes(reason)) return false;
    openApproval(draft, {
      kind: 'replan',
      subtask: null,
      arguments: { plan_version: state.plan_version, reason, detail: cut(detail) },
      reason: `The plan has been changed ${state.plan_version - 1} times, which is as often as it may be. Plan once more?`,
      seconds: policy.approval.timeout_seconds,
      on_timeout: 'deny',
    });
    return true;
  }
  beginReplan(draft, reason, detail);
  return true;
}

/** Hands the task to a planner once more. */
export function beginReplan(draft: Draft, reason: ReplanReason, detail: string): void {
  const { state } = draft;
  state.plan_attempts += 1;
  setCourse(draft, {
    replan: { reason, detail: cut(detail), next: null },
    replans: state.course.replans + 1,
    plan_is_final: false,
    completions: 0,
  });
  draft.units.push({
    queue: 'plans',
    subtask_id: null,
    attempt: state.plan_attempts,
    tier: null,
    round: 1,
  });
  taskEvent(draft, 'task.replanning', {
    reason,
    detail: cut(detail),
    plan_version: state.plan_version,
  });
}

/** A new plan arrived: it replaces the old one if it keeps the contract, else the old one stands. */
export function acceptReplan(draft: Draft, plan: Plan): void {
  const { state } = draft;
  const errors = [...validatePlan(plan), ...replanErrors(state.subtasks, plan)];
  if (errors.length > 0) {
    rejectReplan(draft, errors);
    return;
  }
  const { reason = 'requested' } = state.course.replan ?? {};
  const before = state.subtasks.map(({ spec }) => spec);
  const old = new Map(state.subtasks.map((subtask) => [subtask.id, subtask]));
  state.plan_version += 1;
  state.subtasks = plan.subtasks.map((spec) => old.get(spec.id) ?? newSubtask(spec));
  const specs = plan.subtasks.map((spec) => {
    const subtask = old.get(spec.id);
    return subtask !== undefined && isFinished(draft, subtask) ? subtask.spec : spec;
  });
  const diff = diffPlans(before, specs);
  draft.plan = { version: state.plan_version, subtasks: specs, degraded: false, reason, diff };
  taskEvent(draft, 'task.plan_ready', {
    plan_version: state.plan_version,
    reason,
    diff,
    subtasks: specs.map(({ id, description, depends_on, is_synthesis }) => ({
      id,
      description,
      depends_on,
      is_synthesis,
    })),
  });
  const workLeft = state.subtasks.some(
    (subtask) => !subtask.spec.is_synthesis && !isFinished(draft, subtask),
  );
  for (const [index, subtask] of state.subtasks.entries()) {
    const spec = specs[index];
    if (spec === undefined || !old.has(subtask.id) || isFinished(draft, subtask)) continue;
    // A synthesis that began without work that is still to come joins too little.
    const early = spec.is_synthesis && workLeft;
    const changed = early || !isSameSpec(subtask.spec, spec);
    subtask.spec = spec;
    carryOver(draft, subtask, changed);
  }
  endReplan(draft);
}

/** Completed, also while a follow-up looks at the result once more. */
function isFinished(draft: Draft, subtask: SubtaskState): boolean {
  return subtask.status === 'completed' || isFollowedUp(draft, subtask);
}

/** The plan stands as it is, whatever planners are making of it: a critical subtask failed. */
export function callOffReplan(draft: Draft, subtaskId: string): void {
  const { course, plan_version } = draft.state;
  for (const open of course.approvals.filter(({ kind }) => kind === 'replan')) {
    closeApproval(draft, open, { status: 'expired', by: null, reason: `${subtaskId} failed` });
  }
  if (course.replan !== null) {
    const message = 'is critical and failed while the plan was being changed';
    const errors = [{ subtask_id: subtaskId, code: 'malformed', message }];
    taskEvent(draft, 'task.plan_rejected', { errors, plan_version, subtask_ids: [subtaskId] });
  }
  // A planner that was asked a moment ago, for something else, need not begin.
  draft.units = draft.units.filter(({ queue }) => queue !== 'plans');
  setCourse(draft, { replan: null, plan_is_final: true });
}

/** The old plan stands; the errors name what the new one would have broken. */
export function rejectReplan(draft: Draft, errors: PlanError[]): void {
  taskEvent(draft, 'task.plan_rejected', {
    errors,
    plan_version: draft.state.plan_version,
    subtask_ids: [...new Set(errors.map(({ subtask_id }) => subtask_id))],
  });
  setCourse(draft, { plan_is_final: true });
  endReplan(draft);
}

function endReplan(draft: Draft): void {
  const next = draft.state.course.replan?.next ?? null;
  setCourse(draft, { replan: null });
  if (next !== null) requestReplan(draft, next, 'asked for while the plan was being changed');
  draft.unsettled = true;
}

/** What becomes of an unfinished subtask under a new plan: what failed runs again. */
function carryOver(draft: Draft, subtask: SubtaskState, changed: boolean): void {
  switch (subtask.status) {
    case 'running':
    case 'verifying':
      if (!changed) return;
      setTrail(subtask, { superseded: true });
      // One that is parked has nobody who could wrap it up: it is woken for it.
      draft.wake.attempts.push({ subtask_id: subtask.id, attempt: subtask.attempts });
      return;
    case 'queued':
    case 'awaiting_approval':
      if (!changed) return;
      dropApprovals(draft, subtask.id, 'the plan changed');
      withdrawSubtask(draft, subtask.id);
      dropStale(draft, subtask, subtask.status);
      return;
    case 'failed':
    case 'blocked':
    case 'skipped':
      if (!staysEnded(subtask)) replanSubtask(draft, subtask, changed);
      return;
    case 'pending':
      if (!changed) return;
      subtask.attempts_forgiven = subtask.attempts;
      setTrail(subtask, { signatures: [] });
      return;
    default:
  }
}

/** What a person skipped stays skipped, and a dead letter waits for an operator. */
function staysEnded({ error }: SubtaskState): boolean {
  return error?.code === 'skipped_by_person' || error?.code === 'dead_letter';
}

/** What failed runs again; if the plan asks for the same, then once, unless it fails in another way. */
function replanSubtask(draft: Draft, subtask: SubtaskState, changed: boolean): void {
  const { status, error } = subtask;
  reopenSubtask(draft, subtask, 'replanned');
  if (changed || status !== 'failed' || error === null) return;
  setTrail(subtask, { failed_before: failureSignature(error) });
}

/** An ended subtask runs again from the start, with what was learnt. */
export function reopenSubtask(draft: Draft, subtask: SubtaskState, code: string): void {
  subtask.status = 'pending';
  subtask.attempts_forgiven = subtask.attempts;
  subtask.verification = 'unverified';
  subtask.trail = { ...emptyTrail, held: subtask.trail.held };
  draft.state.errors = draft.state.errors.filter(({ subtask_id }) => subtask_id !== subtask.id);
  subtaskEvent(draft, 'subtask.retrying', subtask, {
    code,
    feedback: subtask.feedback,
    next_attempt: subtask.attempts + 1,
    reopened: true,
  });
}

/** The outcome of an attempt that the plan has left behind: recorded, not applied. */
export function dropStale(draft: Draft, subtask: SubtaskState, outcome: string): void {
  subtask.status = 'pending';
  subtask.attempts_forgiven = subtask.attempts;
  subtask.trail = { ...emptyTrail, held: subtask.trail.held };
  subtaskEvent(draft, 'subtask.outcome_stale', subtask, {
    outcome,
    plan_version: draft.state.plan_version,
  });
}

/** Takes back the units of one subtask, whoever has them. */
export function withdrawSubtask(draft: Draft, subtaskId: string): void {
  if (draft.withdraw === 'all') return;
  const ids = draft.withdraw === 'none' ? [] : draft.withdraw.subtask_ids;
  draft.withdraw = { subtask_ids: [...ids, subtaskId] };
}

function cut(text: string): string {
  return text.slice(0, maxDetail).toWellFormed();
}
