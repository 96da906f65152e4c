import { posix } from 'node:path';
import { terminalTaskEvents } from '@loom/shared/events';
import { isActiveSubtask, isTerminalSubtask, isTerminalTask } from '@loom/shared/statuses';
import type { DecisionContext, TaskDecision, TaskInput, TaskState } from '@loom/shared/task-state';
import { taskStatus } from '../task-status.ts';
import { checkBudgets } from './check-budgets.ts';
import { checkWaiting } from './check-waiting.ts';
import { demand } from './demand.ts';

/** Throws when a decision breaks a rule that holds for every task at every instant. */
export function checkDecision(
  before: TaskState,
  input: TaskInput,
  decision: TaskDecision,
  context: DecisionContext,
): void {
  checkEnd(before, input, decision);
  checkStarts(before, decision, context.now);
  checkPauses(decision);
  checkPlan(before, decision);
  checkStale(before, decision);
  checkRest(decision.state, context.now);
  checkBudgets(before, decision, context);
  checkWaiting(before, decision, context.now);
}

function checkEnd(before: TaskState, input: TaskInput, decision: TaskDecision): void {
  const { state, events, units, withdraw } = decision;
  if (isTerminalTask(before.status) && input.kind !== 'retry_requested') {
    demand(events.length + units.length === 0, 'an ended task is changed by a retry alone');
    demand(state.status === before.status, 'an ended task keeps its status');
  }
  const ended = isTerminalTask(state.status) && events.length > 0;
  const ends = events.filter(({ type }) => terminalTaskEvents.includes(type));
  demand(ends.length === (ended ? 1 : 0), 'one terminal event for one end');
  demand(!ended || events.at(-1) === ends[0], 'the terminal event is the last');
  demand((withdraw === 'all') === ended, () => `withdraw is ${withdraw} at ${state.status}`);
}

function checkStarts(before: TaskState, decision: TaskDecision, now: number): void {
  const { state, units, events } = decision;
  if (units.length === 0) return;
  const stopped = isTerminalTask(state.status) || state.cancel_mode !== null;
  demand(!stopped, 'a stopped task starts nothing');
  const completed = finishedIn(state);
  const attempts = units.filter(({ queue }) => queue === 'subtasks');
  for (const unit of attempts) {
    const subtask = state.subtasks.find(({ id }) => id === unit.subtask_id);
    const earlier = before.subtasks.find(({ id }) => id === unit.subtask_id);
    demand(subtask?.status === 'queued', 'a handed out attempt is queued');
    demand(subtask.attempts === (earlier?.attempts ?? 0) + 1, 'attempts are counted one by one');
    demand(
      subtask.spec.depends_on.every((id) => completed.has(id)),
      'a subtask starts when its dependencies completed',
    );
    demand(
      !subtask.spec.is_synthesis ||
        state.subtasks.every(({ id, spec }) => spec.is_synthesis || completed.has(id)),
      'a synthesis starts when everything else completed',
    );
    demand(!subtask.trail.held, 'a paused subtask does not start');
    const reopened = events.some(
      ({ type, subtask_id, data }) =>
        type === 'subtask.retrying' && subtask_id === subtask.id && data.reopened === true,
    );
    const due = earlier?.trail.not_before ?? 0;
    demand(reopened || due <= now, 'nothing starts before its time');
    const { attempts_forgiven, spec } = subtask;
    const used = subtask.attempts - attempts_forgiven;
    demand(used <= spec.max_retries + 1, 'max_retries bounds the attempts');
  }
}

/** Completed, also while a follow-up looks at the result once more. */
function finishedIn({ subtasks, course }: TaskState): Set<string> {
  const followedUp = course.remediations
    .filter(({ blocking, status }) => !blocking && status === 'running')
    .map(({ subtask_id }) => subtask_id);
  const done = subtasks.filter(({ status }) => status === 'completed').map(({ id }) => id);
  return new Set([...done, ...followedUp]);
}

const starts = ['subtask.queued', 'subtask.started', 'task.planning', 'verification.started'];

function checkPauses({ state, events }: TaskDecision): void {
  if (state.course.paused === null) return;
  demand(!events.some(({ type }) => starts.includes(type)), 'a paused task starts nothing');
}

function checkPlan(before: TaskState, { state, plan, units, events }: TaskDecision): void {
  const grown = state.plan_version - before.plan_version;
  demand(grown === (plan === null ? 0 : 1), 'a plan is kept when it is accepted');
  demand(plan === null || plan.version === state.plan_version, 'a plan carries its version');
  const most = state.policy.max_plan_versions + state.course.extra_versions;
  demand(grown === 0 || state.plan_version <= Math.max(1, most), 'max_plan_versions bounds plans');
  const asked = units.filter(({ queue }) => queue === 'plans').length;
  demand(asked <= 1, 'one planner at a time');
  demand(state.plan_attempts >= before.plan_attempts + asked, 'planners are counted');
  const { replan } = state.course;
  if (asked > 0 && state.plan_version > 0 && before.course.replan !== null) {
    const over = ['task.plan_ready', 'task.plan_rejected', 'task.retried'];
    demand(
      events.some(({ type }) => over.includes(type)),
      'one replan at a time',
    );
  }
  demand(replan === null || state.plan_version > 0, 'only a plan can be changed');
  for (const [place, { id, status, summary, attempts }] of before.subtasks.entries()) {
    // Mostly the order is as it was.
    const same = state.subtasks[place];
    const after = same?.id === id ? same : state.subtasks.find((one) => one.id === id);
    demand(after !== undefined, 'a subtask never disappears');
    const kept = after.summary === summary && after.attempts === attempts;
    demand(kept || status !== 'completed', 'finished results stay as they are');
  }
  if (grown === 0) return;
  const ids = new Set(state.subtasks.map(({ id }) => id));
  demand(ids.size === state.subtasks.length, 'subtasks have distinct ids');
}

function checkStale(before: TaskState, { state }: TaskDecision): void {
  for (const { id, trail, attempts } of before.subtasks) {
    if (!trail.superseded) continue;
    const after = state.subtasks.find((one) => one.id === id);
    demand(
      after?.status !== 'completed' || after.attempts !== attempts,
      'an attempt that the plan left behind completes nothing',
    );
  }
}

function checkRest(state: TaskState, now: number): void {
  const active = state.subtasks.filter(({ status }) => isActiveSubtask(status));
  demand(active.length <= state.max_parallel, 'max_parallel bounds what is active');
  const written = new Set<string>();
  for (const { spec, trail } of active) {
    if (trail.superseded || spec.deliverables.length === 0) continue;
    for (const path of new Set(spec.deliverables.map((one) => posix.normalize(one)))) {
      demand(!written.has(path), 'a deliverable has one active writer');
      written.add(path);
    }
  }
  if (active.some(({ spec, trail }) => spec.is_synthesis && !trail.superseded)) {
    const finished = finishedIn(state);
    const workLeft = state.subtasks.some(({ id, spec }) => !spec.is_synthesis && !finished.has(id));
    const early = active.some(
      ({ id, spec, trail }) => spec.is_synthesis && !trail.superseded && !finished.has(id),
    );
    demand(!workLeft || !early, 'no synthesis is under way while other work is left');
  }
  const status = taskStatus(state, now);
  demand(state.status === status, () => `the status is not ${status}`);
  if (!isTerminalTask(state.status)) return;
  demand(
    state.subtasks.every(({ status }) => isTerminalSubtask(status)),
    'an ended task has no open subtask',
  );
  const all = state.subtasks.every(({ status }) => status === 'completed');
  const completed = all && state.subtasks.length > 0;
  demand(
    state.status === 'cancelled' || (state.status === 'completed') === completed,
    'completed means every subtask completed',
  );
  demand(state.status !== 'completed' || completed, 'completed means every subtask completed');
  demand(state.summary !== null, 'an ended task has a summary');
  const { remediations } = state.course;
  demand(
    state.status !== 'completed' ||
      remediations.every(({ status }) => status !== 'queued' && status !== 'running'),
    'a completed task leaves no remediation open',
  );
}
