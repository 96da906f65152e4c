import type { NewEvent } from '@loom/shared/events';
import type { NewUnit, TaskInput, TaskState } from '@loom/shared/task-state';

/** A task with its log. */
export interface TaskRow {
  state: TaskState;
  last_seq: number;
  events: (NewEvent & { seq: number })[];
}

/** A unit of work with its fence. */
export interface UnitRow {
  id: string;
  task_id: string;
  queue: NewUnit['queue'];
  subtask_id: string | null;
  attempt: number | null;
  status: 'waiting' | 'claimed' | 'parked' | 'done' | 'withdrawn' | 'dead';
  epoch: number;
  starts: number;
  lease_until: number;
  rung_at: number;
  parked_until: number;
  /** Kills whoever works on it. */
  poison: boolean;
  /** What the checks remember of it: finishing writes, and the newest epoch that wrote. */
  finishes: number;
  newest_writer: number;
}

/** A unit that waits, at the epoch it waits in. */
export interface Bell {
  queue: UnitRow['queue'];
  unit_id: string;
  epoch: number;
}

/** What a worker wants written for its unit. */
export interface Transition {
  unit: UnitRow;
  epoch: number;
  input: TaskInput | null;
  /** Whether the worker is finished with the unit, or goes on with it. */
  ends: boolean;
}

/** Opens a unit as its row first stands. */
export function openUnit(taskId: string, unit: NewUnit, now: number, poison: boolean): UnitRow {
  const { queue, subtask_id, attempt } = unit;
  return {
    id: `${queue}-${taskId}-${subtask_id}-${attempt}`,
    task_id: taskId,
    queue,
    subtask_id,
    attempt,
    status: 'waiting',
    epoch: 0,
    starts: 0,
    lease_until: 0,
    rung_at: now,
    parked_until: 0,
    poison,
    finishes: 0,
    newest_writer: 0,
  };
}

/** The bell of a unit that waits. */
export function bellOf({ queue, id, epoch }: UnitRow): Bell {
  return { queue, unit_id: id, epoch };
}
