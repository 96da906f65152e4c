import { posix } from 'node:path';
import { terminalTaskEvents } from '@loom/shared/events';
import { isActiveSubtask, isTerminalSubtask, isTerminalTask } from '@loom/shared/statuses';
import type { TaskDecision, TaskInput, TaskState } from '@loom/shared/task-state';

/** Throws when a decision breaks a rule that holds for every task at every instant. */
export function checkDecision(before: TaskState, input: TaskInput, decision: TaskDecision): void {
  checkEnd(before, input, decision);
  checkStarts(before, decision);
  checkPlan(before, decision);
  checkRest(decision.state);
}

function demand(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new Error(`broken rule: ${rule}`);
}

function checkEnd(before: TaskState, input: TaskInput, { state, events, units }: TaskDecision) {
  if (isTerminalTask(before.status) && input.kind !== 'retry_requested') {
    demand(events.length + units.length === 0, 'an ended task is changed by a retry alone');
    demand(state.status === before.status, 'an ended task keeps its status');
  }
  const ends = events.filter(({ type }) => terminalTaskEvents.includes(type));
  const ended = isTerminalTask(state.status) && events.length > 0;
  demand(ends.length === (ended ? 1 : 0), 'one terminal event for one end');
  demand(!ended || events.at(-1) === ends[0], 'the terminal event is the last');
}

function checkStarts(before: TaskState, { state, units }: TaskDecision) {
  const completed = new Set(
    state.subtasks.filter(({ status }) => status === 'completed').map(({ id }) => id),
  );
  for (const unit of units.filter(({ queue }) => queue === 'subtasks')) {
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
  }
  for (const { attempts, attempts_forgiven, spec } of state.subtasks) {
    demand(attempts - attempts_forgiven <= spec.max_retries + 1, 'max_retries bounds the attempts');
  }
}

function checkPlan(before: TaskState, { state, plan }: TaskDecision) {
  const accepted = before.plan_version === 0 && state.plan_version === 1;
  demand(accepted === (plan !== null), 'a plan is kept when it is accepted');
}

function checkRest(state: TaskState) {
  const active = state.subtasks.filter(({ status }) => isActiveSubtask(status));
  demand(active.length <= state.max_parallel, 'max_parallel bounds what is active');
  const written = active.flatMap(({ spec }) => [
    ...new Set(spec.deliverables.map((path) => posix.normalize(path))),
  ]);
  demand(new Set(written).size === written.length, 'a deliverable has one active writer');
  if (isTerminalTask(state.status)) {
    demand(
      state.subtasks.every(({ status }) => isTerminalSubtask(status)),
      'an ended task has no open subtask',
    );
    const all = state.subtasks.every(({ status }) => status === 'completed');
    const completed = all && state.subtasks.length > 0;
    demand((state.status === 'completed') === completed, 'completed means every subtask completed');
    demand(state.summary !== null, 'an ended task has a summary');
  } else if (state.plan_version > 0) {
    demand(active.length > 0, 'a task that is not over has something under way');
  } else {
    demand(state.plan_attempts > 0, 'a task without a plan has asked for one');
  }
}

/** Throws unless a decision withdraws the task's units exactly when it ends the task. */
export function checkWithdrawal({ state, events, withdraw }: TaskDecision): void {
  const ends = isTerminalTask(state.status) && events.length > 0;
  demand(withdraw === (ends ? 'all' : 'none'), `withdraw is ${withdraw} at ${state.status}`);
}
