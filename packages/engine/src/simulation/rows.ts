import type { Replay } from '@loom/shared/api';
import type { BudgetScope, Spent, Wants } from '@loom/shared/budget';
import type { NewEvent } from '@loom/shared/events';
import type { NewUnit, TaskInput, TaskState } from '@loom/shared/task-state';
import type { ParkReason, WorkSigns } from '@loom/shared/work';

/** A task with its log, and the budgets above it. */
export interface TaskRow {
  state: TaskState;
  last_seq: number;
  events: (NewEvent & { seq: number })[];
  /** What the log so far gives. */
  folded: Replay['state'];
  scopes: BudgetScope[];
  /** Calls that were in flight when their unit's grant was given back. */
  overdrawn: Wants;
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
  /** Why it was parked last, until it is claimed again; and until when, unless somebody wakes it. */
  parked_for: ParkReason | null;
  available_at: number | null;
  /** Its journal: how many lines it has, and the tool calls of the last reply that are still to be made. */
  lines: number;
  pending: { tool: number; mutating: number };
  /** The line at which a person was asked last: a decision that was made holds. */
  asked_at: number;
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

/** What the owner of a unit wants written. */
export interface Work {
  kind: 'work';
  unit: UnitRow;
  epoch: number;
  /** Where the journal ended for whoever writes; a new line stands after it. */
  lines_from: number;
  adds_line: boolean;
  pending: UnitRow['pending'] | null;
  spent: Spent;
  wants: Wants | null;
  input: TaskInput | null;
  park: { reason: ParkReason; seconds: number | null } | null;
}

export type Change = Work | { kind: 'claim'; bell: Bell };

export type Answer =
  | ({ outcome: 'applied' } & WorkSigns)
  | { outcome: 'claimed'; unit: UnitRow; epoch: number }
  | { outcome: 'refused' };

/** Opens a unit as its row first stands. */
export function openUnit(taskId: string, unit: NewUnit, now: number, poison: boolean): UnitRow {
  const { queue, subtask_id, attempt, round } = unit;
  return {
    id: `${queue}-${taskId}-${subtask_id}-${attempt}-${round}`,
    task_id: taskId,
    queue,
    subtask_id,
    attempt,
    status: 'waiting',
    epoch: 0,
    starts: 0,
    lease_until: 0,
    rung_at: now,
    parked_for: null,
    available_at: null,
    lines: 0,
    pending: { tool: 0, mutating: 0 },
    asked_at: -1,
    poison,
    finishes: 0,
    newest_writer: 0,
  };
}

/** The bell of a unit that waits. */
export function bellOf({ queue, id, epoch }: UnitRow): Bell {
  return { queue, unit_id: id, epoch };
}
