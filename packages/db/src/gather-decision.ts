import type { TaskDecision, TaskInput } from '@loom/shared/task-state';
import { projectAttempts } from './attempt-projection.ts';
import { patchUnit, type TaskBatch, type TaskWork } from './task-batch.ts';
import type { UnitRow } from './task-rows.ts';
import { unitId } from './unit-ids.ts';

/** Notes what a decision wants written besides the task's own state and its new units. */
export function gatherDecision(
  batch: TaskBatch,
  work: TaskWork,
  input: TaskInput,
  decision: TaskDecision,
  rules: { unreserve(queue: UnitRow['queue']): void },
): void {
  const { id: task_id, tenant_id } = work.row;
  projectAttempts(batch, work.row, decision.events, input);
  if (decision.plan !== null) batch.plans.push({ ...decision.plan, task_id, tenant_id });
  gatherVerdict(batch, work, input, decision);
  gatherApprovals(batch, work, decision);
  if (decision.withdraw !== 'none') withdrawUnits(batch, work, decision.withdraw, rules);
  work.wake = {
    paused: work.wake.paused || decision.wake.paused,
    attempts: [...work.wake.attempts, ...decision.wake.attempts],
  };
}

const verdictEvents = ['verification.passed', 'verification.failed', 'remediation.resolved'];

/** Only a verdict that was applied is kept: an attempt has one. */
function gatherVerdict(
  batch: TaskBatch,
  { row }: TaskWork,
  input: TaskInput,
  { events }: TaskDecision,
): void {
  if (input.kind !== 'verdict_given') return;
  const { subtask_id, attempt, verdict } = input;
  const applied = events.some(
    (event) => verdictEvents.includes(event.type) && event.subtask_id === subtask_id,
  );
  if (!applied) return;
  const { id: task_id, tenant_id } = row;
  batch.verdicts.push({ ...verdict, task_id, subtask_id, attempt, tenant_id });
}

function gatherApprovals(batch: TaskBatch, { row }: TaskWork, { approvals }: TaskDecision): void {
  const { id: task_id, tenant_id, session_id, turn_id } = row;
  const base = { tenant_id, task_id, session_id, turn_id };
  for (const change of approvals) {
    const known = batch.approvals.get(change.id) ?? { id: change.id, ...base };
    if (change.op === 'close') {
      batch.approvals.set(change.id, {
        ...known,
        status: change.status,
        decided_by: change.by,
        decision_reason: change.reason,
        decided_arguments: change.arguments,
      });
      continue;
    }
    const { op: _, expires_at, subtask_id, attempt, ...open } = change;
    const waits = open.kind === 'tool' && subtask_id !== null;
    batch.approvals.set(change.id, {
      ...known,
      ...open,
      subtask_id,
      attempt,
      unit_id: waits ? unitId(task_id, { queue: 'subtasks', subtask_id, attempt }) : null,
      expires_at: expires_at === null ? null : new Date(expires_at).toISOString(),
    });
  }
}

function withdrawUnits(
  batch: TaskBatch,
  work: TaskWork,
  which: 'all' | { subtask_ids: string[] },
  rules: { unreserve(queue: UnitRow['queue']): void },
): void {
  const ids = which === 'all' ? null : which.subtask_ids;
  if (ids === null) work.withdraw = 'all';
  else {
    work.stopped.push(...ids);
    if (work.withdraw !== 'all') {
      work.withdraw = new Set([...(work.withdraw === 'none' ? [] : work.withdraw), ...ids]);
    }
  }
  const unwanted = (unit: { task_id: string | null; subtask_id: string | null }) =>
    unit.task_id === work.row.id && (ids === null || ids.includes(unit.subtask_id ?? ''));
  const dropped = new Set<string>();
  for (const unit of batch.newUnits.filter(unwanted)) {
    dropped.add(unit.id);
    if (unit.status === 'claimed') rules.unreserve(unit.queue as UnitRow['queue']);
  }
  for (const unit of [...batch.units.values()].filter(unwanted)) {
    dropped.add(unit.id);
    if (['claimed', 'waiting', 'parked'].includes(unit.status)) {
      patchUnit(batch, unit, { status: 'withdrawn' });
    }
  }
  batch.newUnits = batch.newUnits.filter(({ id }) => !dropped.has(id));
  batch.rings = batch.rings.filter(({ unit_id }) => !dropped.has(unit_id));
}
