import type { NewEvent } from '@loom/shared/events';
import { isTerminalTask } from '@loom/shared/statuses';
import type { DecideTask, TaskDecision, TaskInput, TaskState } from '@loom/shared/task-state';
import { checkDecision } from '../test-support/check-decision.ts';
import {
  type Bell,
  bellOf,
  openUnit,
  type TaskRow,
  type Transition,
  type UnitRow,
} from './rows.ts';
import {
  checkAcceptedWrite,
  checkApplied,
  checkReplay,
  checkTakenUp,
  maxStarts,
} from './run-checks.ts';

const leaseSeconds = 15;
const ringAgainSeconds = 10;

interface DatabaseOptions {
  decide: DecideTask;
  /** False leaves out the check of the epoch, to see that the simulation notices. */
  fenced: boolean;
  now: () => number;
  isPoison: () => boolean;
  count: (what: string) => void;
}

/** What a committed batch answers: the task each transition met, or null where it was refused. */
export interface CommitResult {
  answers: (TaskState | null)[];
  bells: Bell[];
  claimed: UnitRow[];
}

/** The tables and their transactions: each method is one, and happens as a whole. */
export class SimulatedDatabase {
  readonly tasks = new Map<string, TaskRow>();
  readonly units = new Map<string, UnitRow>();
  readonly #options: DatabaseOptions;

  constructor(options: DatabaseOptions) {
    this.#options = options;
  }

  /** A person asks: a new task, a stop, a retry. */
  request(state: TaskState, input: TaskInput): Bell[] {
    const row = this.tasks.get(state.id) ?? { state, last_seq: 0, events: [] };
    this.tasks.set(state.id, row);
    return this.#apply(row, input).opened.map(bellOf);
  }

  /** Compare-and-set from waiting; null when someone else was quicker. */
  claim({ unit_id, epoch }: Bell): UnitRow | null {
    const unit = this.units.get(unit_id);
    if (unit === undefined || unit.status !== 'waiting' || unit.epoch !== epoch) return null;
    this.#take(unit);
    return unit;
  }

  renew(unit: UnitRow, epoch: number): boolean {
    if (!this.#owns(unit, epoch)) return false;
    unit.lease_until = this.#options.now() + leaseSeconds;
    return true;
  }

  /** A step of the work is stored: progress, so the count of starts begins anew. */
  journal(unit: UnitRow, epoch: number): boolean {
    if (!this.#owns(unit, epoch)) return false;
    checkAcceptedWrite(unit, epoch);
    unit.starts = 0;
    this.#log(unit.task_id, { type: 'model.call', data: {} });
    return true;
  }

  /** The worker gives the unit back for a while, in good order. */
  park(unit: UnitRow, epoch: number, seconds: number): boolean {
    if (!this.#owns(unit, epoch)) return false;
    checkAcceptedWrite(unit, epoch);
    unit.status = 'parked';
    unit.starts = 0;
    unit.parked_until = this.#options.now() + seconds;
    return true;
  }

  /** One transaction for many transitions; new units the worker can take itself are claimed in it. */
  commit(transitions: Transition[], queue: UnitRow['queue'], capacity: number): CommitResult {
    const answers: CommitResult['answers'] = [];
    const opened: UnitRow[] = [];
    for (const transition of transitions) {
      const { unit, epoch, input, ends } = transition;
      const row = this.tasks.get(unit.task_id);
      if (row === undefined || !this.#owns(unit, epoch)) {
        answers.push(null);
        this.#options.count('refused write');
        continue;
      }
      checkAcceptedWrite(unit, epoch);
      if (ends) unit.status = 'done';
      const applied = input === null ? { events: [], opened: [] } : this.#apply(row, input);
      checkApplied(transition, applied.events, row);
      opened.push(...applied.opened);
      answers.push(row.state);
    }
    const waiting = opened.filter(({ status }) => status === 'waiting');
    const claimed = waiting.filter((unit) => unit.queue === queue).slice(0, capacity);
    for (const unit of claimed) this.#take(unit);
    const bells = waiting.filter(({ status }) => status === 'waiting').map(bellOf);
    return { answers, bells, claimed };
  }

  /** Gives back what silent workers hold, buries what keeps dying, rings what waits too long. */
  sweep(): Bell[] {
    const now = this.#options.now();
    const rung: UnitRow[] = [];
    for (const unit of this.units.values()) {
      if (unit.status === 'claimed' && unit.lease_until < now) this.#expire(unit, rung);
      else if (unit.status === 'parked' && unit.parked_until <= now) {
        unit.status = 'waiting';
        rung.push(unit);
      } else if (unit.status === 'waiting' && unit.rung_at + ringAgainSeconds <= now) {
        rung.push(unit);
      }
    }
    for (const unit of rung) unit.rung_at = now;
    return rung.filter(({ status }) => status === 'waiting').map(bellOf);
  }

  isQuiet(): boolean {
    for (const { state } of this.tasks.values()) if (!isTerminalTask(state.status)) return false;
    for (const { status } of this.units.values()) {
      if (status === 'waiting' || status === 'claimed' || status === 'parked') return false;
    }
    return true;
  }

  #expire(unit: UnitRow, rung: UnitRow[]): void {
    this.#options.count('expired lease');
    if (unit.starts < maxStarts) {
      unit.status = 'waiting';
      rung.push(unit);
      return;
    }
    unit.status = 'dead';
    this.#options.count('dead letter');
    const row = this.tasks.get(unit.task_id);
    if (row === undefined) return;
    const { queue, subtask_id, attempt } = unit;
    const reason = `${unit.starts} starts without progress`;
    const input: TaskInput = { kind: 'unit_died', queue, subtask_id, attempt, reason };
    rung.push(...this.#apply(row, input).opened);
  }

  #owns(unit: UnitRow, epoch: number): boolean {
    if (!this.#options.fenced) return true;
    return unit.status === 'claimed' && unit.epoch === epoch;
  }

  #take(unit: UnitRow): void {
    checkTakenUp(unit);
    unit.status = 'claimed';
    unit.epoch += 1;
    unit.starts += 1;
    unit.lease_until = this.#options.now() + leaseSeconds;
  }

  #apply(row: TaskRow, input: TaskInput): { events: NewEvent[]; opened: UnitRow[] } {
    const { decide, now, isPoison } = this.#options;
    const before = row.state;
    const decision = decide(before, input);
    checkDecision(before, input, decision);
    row.state = decision.state;
    for (const event of decision.events) this.#log(before.id, event);
    checkReplay(row);
    this.#withdraw(before.id, decision.withdraw);
    const opened = decision.units.map((unit) => openUnit(before.id, unit, now(), isPoison()));
    for (const unit of opened) {
      if (this.units.has(unit.id)) throw new Error(`broken rule: ${unit.id} was handed out twice`);
      this.units.set(unit.id, unit);
    }
    return { events: decision.events, opened };
  }

  #log(taskId: string, event: NewEvent): void {
    const row = this.tasks.get(taskId);
    row?.events.push({ ...event, seq: ++row.last_seq });
  }

  #withdraw(taskId: string, which: TaskDecision['withdraw']): void {
    if (which === 'none') return;
    for (const unit of this.units.values()) {
      if (unit.task_id !== taskId) continue;
      const waits = unit.status === 'waiting' || unit.status === 'parked';
      if (waits || (which === 'all' && unit.status === 'claimed')) unit.status = 'withdrawn';
    }
  }
}
