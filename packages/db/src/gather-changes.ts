import type { Spent } from '@loom/shared/budget';
import { isTerminalTask } from '@loom/shared/statuses';
import { holdKey } from '@loom/shared/task-course';
import type { DecideTask, TaskInput, TaskState, UnitKey } from '@loom/shared/task-state';
import type { ClaimedUnit, TaskChange, TaskChangeResult, WorkSigns } from '@loom/shared/work';
import { addSpent, moveHolds, subtractSpent } from './budget-scopes.ts';
import { gatherDecision } from './gather-decision.ts';
import { noteCalls, noteFiles } from './note-calls.ts';
import { patchAttempt, patchUnit, type TaskBatch, type TaskWork } from './task-batch.ts';
import type { UnitRow } from './task-rows.ts';
import { unitId } from './unit-ids.ts';

/** How a set of changes is decided and what this process may take for itself. */
export interface GatherRules {
  decide: DecideTask;
  max_starts: number;
  /** Takes a free place in this process for a unit of this queue, if there is one. */
  reserve(queue: UnitRow['queue']): boolean;
  unreserve(queue: UnitRow['queue']): void;
}

/** Decides one change on the state of its set so far, and notes what is to be written. */
export function gatherChange(
  batch: TaskBatch,
  change: TaskChange,
  rules: GatherRules,
): TaskChangeResult {
  const work = batch.tasks.get(change.task_id);
  if (work === undefined) return { outcome: 'refused' };
  switch (change.kind) {
    case 'claim':
      return gatherClaim(batch, work, change, rules);
    case 'work':
      return gatherWork(batch, work, change, rules);
    case 'control':
      if (change.tenant_id !== work.row.tenant_id) return { outcome: 'refused' };
      applyInput(batch, work, change.input, rules);
      return { outcome: 'applied', ...signsFor(work.state, null, true) };
  }
}

function gatherClaim(
  batch: TaskBatch,
  work: TaskWork,
  change: Extract<TaskChange, { kind: 'claim' }>,
  rules: GatherRules,
): TaskChangeResult {
  const unit = batch.units.get(change.unit_id);
  if (unit === undefined || unit.status !== 'waiting' || unit.epoch !== change.epoch) {
    return { outcome: 'refused' };
  }
  if (unit.starts >= rules.max_starts) {
    const cause = unit.last_error === null ? '' : `: ${unit.last_error}`;
    const reason = `started ${unit.starts} times without progress${cause}`;
    patchUnit(batch, unit, { status: 'dead', dead_reason: reason });
    const { queue, subtask_id, attempt } = unit;
    applyInput(batch, work, { kind: 'unit_died', queue, subtask_id, attempt, reason }, rules);
    return { outcome: 'dead', reason };
  }
  applyInput(batch, work, startInput(unit, unit.parked_for !== null), rules);
  if (!isStarted(work, unit)) {
    const asks = unit.queue === 'subtasks' && isAsking(work.state, unit);
    if (isHeld(work.state, unit) || asks) {
      // A new epoch: the job of this one is used up, and would not ring a second time.
      const epoch = unit.epoch + 1;
      patchUnit(batch, unit, { status: 'parked', parked_for: asks ? 'approval' : 'pause', epoch });
    } else patchUnit(batch, unit, { status: 'done' });
    return { outcome: 'refused' };
  }
  patchUnit(batch, unit, { status: 'claimed', epoch: unit.epoch + 1, starts: unit.starts + 1 });
  return { outcome: 'claimed', unit: toClaimed(unit, isMetered(work)) };
}

function gatherWork(
  batch: TaskBatch,
  work: TaskWork,
  change: Extract<TaskChange, { kind: 'work' }>,
  rules: GatherRules,
): TaskChangeResult {
  const unit = batch.units.get(change.fence.unit_id);
  if (unit === undefined || unit.status !== 'claimed' || unit.epoch !== change.fence.epoch) {
    return { outcome: 'refused' };
  }
  noteWork(batch, work, unit, change);
  spend(work, unit, change.spent, change.actions);
  let granted = true;
  if (change.wants !== null) {
    const key = unitKey(unit);
    applyInput(batch, work, { kind: 'calls_wanted', unit: key, wants: change.wants }, rules);
    granted = work.state.course.exhausted === null && work.state.course.paused?.reason !== 'budget';
  }
  if (change.input !== null) {
    // What a parked unit asked for may have been answered in this very set: it waits then.
    if (change.park === null) patchUnit(batch, unit, { status: 'done' });
    applyInput(batch, work, change.input, rules);
  }
  if (change.park !== null && unit.status === 'claimed') parkUnit(batch, work, unit, change.park);
  else if (change.input === null && unit.starts > 0 && isProgress(change)) {
    // Something new stands in the journal: whoever starts this unit next does not start from nothing.
    patchUnit(batch, unit, { status: 'claimed', starts: 0 });
  }
  return { outcome: 'applied', ...signsFor(work.state, unit, granted) };
}

/** Whether a change leaves something behind from which the next owner can go on. */
function isProgress({ journal, ledger, spent }: Extract<TaskChange, { kind: 'work' }>): boolean {
  return journal.length > 0 || ledger.length > 0 || spent.model_calls + spent.tool_calls > 0;
}

type Parking = NonNullable<Extract<TaskChange, { kind: 'work' }>['park']>;

function parkUnit(batch: TaskBatch, work: TaskWork, unit: UnitRow, park: Parking): void {
  const { reason, seconds } = park;
  const overtaken =
    work.state.cancel_mode !== null ||
    (reason === 'pause' && !isHeld(work.state, unit)) ||
    (reason === 'approval' && !isAsking(work.state, unit));
  if (overtaken) {
    // What it would wait for is over: it goes on at once.
    patchUnit(batch, unit, { status: 'waiting', starts: 0, parked_for: reason });
    const { queue, tenant_id, id, epoch } = unit;
    batch.rings.push({ queue, tenant_id, unit_id: id, epoch });
    return;
  }
  const patch = { status: 'parked', starts: 0, parked_for: reason, park_seconds: seconds };
  patchUnit(batch, unit, patch);
}

function noteWork(
  batch: TaskBatch,
  work: TaskWork,
  unit: UnitRow,
  change: Extract<TaskChange, { kind: 'work' }>,
): void {
  const { tenant_id } = work.row;
  for (const [index, line] of change.journal.entries()) {
    batch.journal.push({
      unit_id: unit.id,
      seq: change.journal_from + index,
      tenant_id,
      role: line.role,
      content: line.content,
      tool_calls: line.tool_calls ?? null,
      tool_call_id: line.tool_call_id ?? null,
      tool_name: line.tool_name ?? null,
    });
  }
  for (const entry of change.ledger) {
    batch.ledger.push({ ...entry, unit_id: unit.id, tenant_id, unit });
  }
  const course = noteCalls(work.state.course, unit.subtask_id, change.ledger);
  const files_changed = noteFiles(work.state.files_changed, change.ledger);
  work.state = { ...work.state, course, files_changed };
  const place =
    unit.subtask_id === null ? {} : { subtask_id: unit.subtask_id, attempt: unit.attempt ?? 1 };
  work.events.push(...change.events.map((event) => ({ ...place, ...event })));
  if (change.model === null || unit.queue !== 'subtasks') return;
  patchAttempt(batch, {
    task_id: unit.task_id ?? '',
    subtask_id: unit.subtask_id ?? '',
    number: unit.attempt ?? 0,
    tenant_id: unit.tenant_id,
    model: change.model,
  });
}

/** What was spent is not held any more: a call counts once, before and after it was made. */
function spend(work: TaskWork, unit: UnitRow, spent: Spent, actions: string[]): void {
  const { state, scopes } = work;
  work.state = { ...state, spent: addSpent(state.spent, spent) };
  for (const scope of scopes) scope.spent = addSpent(scope.spent, spent);
  const key = holdKey(unitKey(unit));
  const { [key]: held, ...others } = state.course.holds;
  if (held !== undefined) {
    const holds = { ...others, [key]: subtractSpent(held, spent) };
    moveHolds(scopes, state.course.holds, holds);
    work.state.course = { ...state.course, holds };
  }
  if (actions.length === 0) return;
  const counts = { ...state.course.actions };
  for (const tool of actions) counts[tool] = (counts[tool] ?? 0) + 1;
  work.state.course = { ...work.state.course, actions: counts };
}

function applyInput(batch: TaskBatch, work: TaskWork, input: TaskInput, rules: GatherRules): void {
  const { scopes, row } = work;
  const before = work.state.course.holds;
  const decision = rules.decide(work.state, input, { now: row.now, scopes });
  work.state = decision.state;
  work.events.push(...decision.events);
  work.ended = isTerminalTask(work.state.status);
  moveHolds(scopes, before, work.state.course.holds);
  gatherDecision(batch, work, input, decision, rules);
  const { id: task_id, tenant_id, session_id } = row;
  for (const { queue, subtask_id, attempt, round } of decision.units) {
    const id = unitId(task_id, { queue, subtask_id, attempt, round });
    const unit = { id, tenant_id, queue, task_id, session_id, subtask_id, attempt };
    if (!rules.reserve(queue)) {
      batch.newUnits.push({ ...unit, status: 'waiting' });
      batch.rings.push({ queue, tenant_id, unit_id: id, epoch: 0 });
      continue;
    }
    const inserted: TaskBatch['newUnits'][number] = { ...unit, status: 'claimed' };
    batch.newUnits.push(inserted);
    applyInput(batch, work, startInput(unit, false), rules);
    if (isStarted(work, unit) || !batch.newUnits.includes(inserted)) continue;
    // A budget refused its first call: nobody here has work with it.
    rules.unreserve(queue);
    inserted.status = isHeld(work.state, unit) ? 'parked' : 'done';
  }
}

type StartableUnit = Pick<UnitRow, 'queue' | 'subtask_id' | 'attempt' | 'trail'>;

function startInput(unit: StartableUnit, resumed: boolean): TaskInput {
  const { queue, subtask_id, attempt } = unit;
  if (subtask_id === null || attempt === null) {
    return { kind: 'planning_started', attempt: attempt ?? 0, resumed };
  }
  if (queue === 'subtasks') return { kind: 'attempt_started', subtask_id, attempt, resumed };
  return { kind: 'verification_started', subtask_id, attempt, resumed };
}

function isStarted({ state }: TaskWork, unit: StartableUnit): boolean {
  if (isHeld(state, unit)) return false;
  if (unit.queue === 'plans') {
    const wanted =
      state.plan_version === 0 ? state.status === 'planning' : state.course.replan !== null;
    return wanted && !isTerminalTask(state.status) && unit.attempt === state.plan_attempts;
  }
  const wanted = unit.queue === 'subtasks' ? 'running' : 'verifying';
  return state.subtasks.some(
    ({ id, attempts, status }) =>
      id === unit.subtask_id && attempts === unit.attempt && status === wanted,
  );
}

/** Whether a unit is to wait because its task or its subtask is paused. */
function isHeld({ course, status, subtasks }: TaskState, unit: StartableUnit): boolean {
  if (isTerminalTask(status)) return false;
  if (course.paused !== null) return true;
  return trailOf(subtasks, unit)?.held === true;
}

function trailOf(subtasks: TaskState['subtasks'], unit: StartableUnit) {
  return subtasks.find(({ id }) => id === unit.subtask_id)?.trail ?? unit.trail;
}

function isAsking({ course }: TaskState, unit: StartableUnit): boolean {
  return course.approvals.some(({ subtask_id }) => subtask_id === unit.subtask_id);
}

/** Whether some budget limits what a task's units do. */
export function isMetered({ state, scopes }: TaskWork): boolean {
  return scopes.length > 0 || Object.values(state.limits).some((limit) => (limit ?? 0) > 0);
}

function signsFor(state: TaskState, unit: StartableUnit | null, granted: boolean): WorkSigns {
  const trail = unit === null ? null : trailOf(state.subtasks, unit);
  const overtime = state.course.exhausted?.budget === 'max_seconds';
  return {
    stopping: state.cancel_mode !== null || overtime || trail?.superseded === true,
    pausing: unit !== null && isHeld(state, unit),
    granted,
    guidance: state.course.guidance.filter(
      ({ subtask_id }) => subtask_id === null || subtask_id === unit?.subtask_id,
    ),
    discoveries: state.course.discoveries.filter(
      ({ subtask_id }) => subtask_id !== unit?.subtask_id,
    ),
  };
}

function unitKey({ queue, subtask_id, attempt }: UnitRow): UnitKey {
  return { queue: queue as UnitKey['queue'], subtask_id, attempt };
}

type ClaimableUnit = Omit<UnitRow, 'status' | 'starts' | 'last_error' | 'parked_for'>;

export function toClaimed(unit: ClaimableUnit, metered: boolean): ClaimedUnit {
  const { id, epoch, queue, tenant_id, task_id, subtask_id, attempt, session_id, turn_id } = unit;
  return {
    unit_id: id,
    epoch,
    queue,
    tenant_id,
    task_id,
    subtask_id,
    attempt,
    session_id,
    turn_id,
    metered,
  };
}
