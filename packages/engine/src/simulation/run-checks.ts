import { type EventType, type NewEvent, terminalTaskEvents } from '@loom/shared/events';
import { isTerminalTask } from '@loom/shared/statuses';
import type { TaskState } from '@loom/shared/task-state';
import { compareReplay, foldEvents, replayableState } from '../fold-events.ts';
import { demand } from '../test-support/demand.ts';
import type { TaskRow, UnitRow, Work } from './rows.ts';
import { isHeld } from './unit-view.ts';

/** Events that only the owner of an attempt's unit can give rise to. */
const saidByOwner: EventType[] = [
  'subtask.started',
  'run.recovered',
  'subtask.verifying',
  'verification.started',
  'verification.passed',
  'verification.failed',
];

/** Starts without progress that a unit is given. */
export const maxStarts = 3;

/** A write of a worker went through: it must have come from the unit's present owner. */
export function checkAcceptedWrite(unit: UnitRow, epoch: number): void {
  demand(
    unit.status === 'claimed',
    () => `${unit.id}: a write was accepted while it was ${unit.status}`,
  );
  demand(epoch >= unit.newest_writer, () => `${unit.id}: a write of a former owner was accepted`);
  unit.newest_writer = epoch;
}

/** A worker's word went in: its result once for its unit, and about no other attempt than its own. */
export function checkApplied({ unit, park }: Work, events: NewEvent[], row: TaskRow): void {
  if (park === null) unit.finishes += 1;
  demand(unit.finishes <= 1, () => `${unit.id}: finished twice`);
  if (unit.queue === 'plans') {
    const current = row.state.plan_attempts;
    const asked = events.some(({ type }) => type === 'task.replanning') ? 1 : 0;
    demand(
      events.length === 0 || unit.attempt === current - asked,
      () => `${unit.id}: not plan unit ${current}`,
    );
    return;
  }
  for (const { type, subtask_id, attempt } of events) {
    demand(
      !saidByOwner.includes(type) || (subtask_id === unit.subtask_id && attempt === unit.attempt),
      () => `${unit.id}: ${type} was applied to attempt ${attempt} of ${subtask_id}`,
    );
  }
}

/** A unit is taken up: only while it waits and may run, and never more often than it may be. */
export function checkTakenUp(unit: UnitRow, state: TaskState): void {
  demand(unit.status === 'waiting', () => `${unit.id}: claimed while it was ${unit.status}`);
  demand(
    unit.starts < maxStarts,
    () => `${unit.id}: started ${unit.starts} times without progress`,
  );
  demand(!isHeld(state, unit), () => `${unit.id}: claimed while it was paused`);
}

/** Happens at most once for an attempt. */
const onceForAnAttempt = [
  'subtask.queued',
  'subtask.started',
  'subtask.verifying',
  'verification.passed',
  'verification.failed',
  'subtask.completed',
];

/** What must be true of a task once all is quiet. */
export function checkEndedTask({ state, events, last_seq }: TaskRow): void {
  demand(isTerminalTask(state.status), () => `${state.id}: never ended, is ${state.status}`);
  demand(
    last_seq === events.length,
    () => `${state.id}: the log has ${events.length} of ${last_seq}`,
  );
  demand(
    events.every(({ seq }, index) => seq === index + 1),
    () => `${state.id}: the log is not numbered 1..n`,
  );
  events.forEach(({ type }, index) => {
    if (!terminalTaskEvents.includes(type)) return;
    const next = events[index + 1]?.type;
    demand(
      next === undefined || next === 'task.retried',
      () => `${state.id}: ${next} follows the terminal event`,
    );
  });
  const seen = new Set<string>();
  for (const { type, subtask_id, attempt } of events) {
    if (!onceForAnAttempt.includes(type)) continue;
    const key = `${type} ${subtask_id} ${attempt}`;
    demand(!seen.has(key), () => `${state.id}: ${key} stands twice in the log`);
    seen.add(key);
  }
  checkReplay({ state, folded: foldEvents(events) });
}

/** The log alone gives the stored state, at every instant. */
export function checkReplay({ state, folded }: Pick<TaskRow, 'state' | 'folded'>): void {
  if (isSame(folded, state)) return;
  const differences = compareReplay(folded, replayableState(state));
  demand(differences.length === 0, () => `${state.id}: replay differs: ${differences.join('; ')}`);
}

/** The usual case, found without putting anything into words. */
function isSame(folded: TaskRow['folded'], state: TaskState): boolean {
  return (
    folded.status === state.status &&
    folded.verification === state.verification &&
    folded.plan_version === state.plan_version &&
    folded.subtasks.length === state.subtasks.length &&
    folded.subtasks.every(({ id, status, attempts }, place) => {
      const stored = state.subtasks[place];
      return stored?.id === id && stored.status === status && stored.attempts === attempts;
    })
  );
}

/** What must be true of a unit once all is quiet. */
export function checkEndedUnit(unit: UnitRow): void {
  demand(
    ['done', 'withdrawn', 'dead'].includes(unit.status),
    () => `${unit.id}: is left ${unit.status}`,
  );
  demand(unit.status !== 'done' || unit.finishes === 1, () => `${unit.id}: done without a finish`);
}
