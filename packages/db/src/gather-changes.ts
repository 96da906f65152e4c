import { isTerminalTask } from '@loom/shared/statuses';
import type { DecideTask, TaskInput } from '@loom/shared/task-state';
import type { ClaimedUnit, TaskChange, TaskChangeResult } from '@loom/shared/work';
import { projectAttempts } from './attempt-projection.ts';
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
      return { outcome: 'applied', stopping: work.state.cancel_mode !== null };
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
  applyInput(batch, work, startInput(unit), rules);
  if (!isStarted(work, unit)) {
    patchUnit(batch, unit, { status: 'done' });
    return { outcome: 'refused' };
  }
  patchUnit(batch, unit, { status: 'claimed', epoch: unit.epoch + 1, starts: unit.starts + 1 });
  return { outcome: 'claimed', unit: toClaimed(unit) };
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
  work.usage.tokens += change.usage.tokens;
  work.usage.model_calls += change.usage.model_calls;
  work.usage.tool_calls += change.usage.tool_calls;
  const place =
    unit.subtask_id === null ? {} : { subtask_id: unit.subtask_id, attempt: unit.attempt ?? 1 };
  work.events.push(...change.events.map((event) => ({ ...place, ...event })));
  if (change.model !== null && unit.queue === 'subtasks') noteModel(batch, unit, change.model);
  if (change.input !== null) {
    patchUnit(batch, unit, { status: 'done' });
    applyInput(batch, work, change.input, rules);
  } else if (unit.starts > 0) {
    // Something new stands in the journal: whoever starts this unit next does not start from nothing.
    patchUnit(batch, unit, { status: 'claimed', starts: 0 });
  }
  return { outcome: 'applied', stopping: work.state.cancel_mode !== null };
}

function noteModel(batch: TaskBatch, unit: UnitRow, model: string): void {
  patchAttempt(batch, {
    task_id: unit.task_id ?? '',
    subtask_id: unit.subtask_id ?? '',
    number: unit.attempt ?? 0,
    tenant_id: unit.tenant_id,
    model,
  });
}

function applyInput(batch: TaskBatch, work: TaskWork, input: TaskInput, rules: GatherRules): void {
  const decision = rules.decide(work.state, input);
  const hadPlan = work.state.plan_version > 0;
  work.state = decision.state;
  work.events.push(...decision.events);
  work.planned ||= !hadPlan && decision.plan !== null;
  work.ended = isTerminalTask(work.state.status);
  projectAttempts(batch, work.row, decision.events, input);
  const { id: task_id, tenant_id, session_id } = work.row;
  if (decision.plan !== null) batch.plans.push({ ...decision.plan, task_id, tenant_id });
  if (input.kind === 'verdict_given' && decision.events.length > 0) {
    const { subtask_id, attempt, verdict } = input;
    batch.verdicts.push({ ...verdict, task_id, subtask_id, attempt, tenant_id });
  }
  if (decision.withdraw !== 'none') withdrawUnits(batch, work, decision.withdraw, rules);
  for (const { queue, subtask_id, attempt } of decision.units) {
    const id = unitId(task_id, { queue, subtask_id, attempt });
    const unit = { id, tenant_id, queue, task_id, session_id, subtask_id, attempt };
    const claimed = rules.reserve(queue);
    batch.newUnits.push({ ...unit, claimed });
    if (claimed) applyInput(batch, work, startInput(unit), rules);
    else batch.rings.push({ queue, unit_id: id, epoch: 0 });
  }
}

function withdrawUnits(
  batch: TaskBatch,
  work: TaskWork,
  which: 'waiting' | 'all',
  rules: GatherRules,
): void {
  work.withdraw = work.withdraw === 'all' ? 'all' : which;
  const unwanted = (unit: { task_id: string | null; claimed: boolean }) =>
    unit.task_id === work.row.id && (which === 'all' || !unit.claimed);
  for (const unit of batch.newUnits) {
    if (unwanted(unit) && unit.claimed) rules.unreserve(unit.queue as UnitRow['queue']);
  }
  batch.newUnits = batch.newUnits.filter((unit) => !unwanted(unit));
  batch.rings = batch.rings.filter(({ unit_id }) => !unit_id.startsWith(`${work.row.id}.`));
  for (const unit of batch.units.values()) {
    if (which === 'all' && unit.status === 'claimed' && unit.task_id === work.row.id) {
      patchUnit(batch, unit, { status: 'withdrawn' });
    }
  }
}

type StartableUnit = Pick<UnitRow, 'queue' | 'subtask_id' | 'attempt'>;

function startInput({ queue, subtask_id, attempt }: StartableUnit): TaskInput {
  if (subtask_id === null || attempt === null) return { kind: 'planning_started' };
  if (queue === 'subtasks') return { kind: 'attempt_started', subtask_id, attempt };
  return { kind: 'verification_started', subtask_id, attempt };
}

function isStarted(work: TaskWork, unit: StartableUnit): boolean {
  if (unit.queue === 'plans') return work.state.status === 'planning';
  const wanted = unit.queue === 'subtasks' ? 'running' : 'verifying';
  return work.state.subtasks.some(
    ({ id, attempts, status }) =>
      id === unit.subtask_id && attempts === unit.attempt && status === wanted,
  );
}

export function toClaimed(unit: Omit<UnitRow, 'status' | 'starts' | 'last_error'>): ClaimedUnit {
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
  };
}
