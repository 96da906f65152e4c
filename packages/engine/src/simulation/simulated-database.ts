import { type BudgetScope, nothingWanted } from '@loom/shared/budget';
import type { NewEvent } from '@loom/shared/events';
import { isTerminalTask } from '@loom/shared/statuses';
import type {
  ApprovalChange,
  DecideTask,
  TaskDecision,
  TaskInput,
  TaskState,
} from '@loom/shared/task-state';
import { foldEvents } from '../fold-events.ts';
import { checkDecision } from '../test-support/check-decision.ts';
import { storedAndLoaded } from '../test-support/stored-state.ts';
import { checkScopes } from './budget-checks.ts';
import type { DatabaseFaults } from './database-faults.ts';
import {
  type Answer,
  type Bell,
  bellOf,
  type Change,
  openUnit,
  type TaskRow,
  type UnitRow,
  type Work,
} from './rows.ts';
import {
  checkAcceptedWrite,
  checkApplied,
  checkReplay,
  checkTakenUp,
  maxStarts,
} from './run-checks.ts';
import { moveHolds, spend } from './simulated-budgets.ts';
import { isAsking, isHeld, isStarted, signsFor, startOf } from './unit-view.ts';

const leaseSeconds = 15;
const ringAgainSeconds = 10;

interface DatabaseOptions {
  decide: DecideTask;
  faults: DatabaseFaults;
  /** Whether every state is written and read again between two decisions. */
  stores: boolean;
  /** Seconds since the world began. */
  now: () => number;
  isPoison: () => boolean;
  count: (what: string) => void;
  asked: (taskId: string, question: Extract<ApprovalChange, { op: 'open' }>) => void;
}

/** Places that the committing process has for new units of its own queue. */
export interface Slots {
  queue: UnitRow['queue'] | null;
  free: number;
}

/** What one transaction gathers besides the rows. */
interface Gathering {
  slots: Slots;
  touched: UnitRow[];
  wakes: { task_id: string; wake: TaskDecision['wake'] }[];
  /** Whether something was granted, spent or given back. */
  spends: boolean;
}

const noSlots = (): Slots => ({ queue: null, free: 0 });

/** The tables and their transactions: each method is one, and happens as a whole. */
export class SimulatedDatabase {
  readonly tasks = new Map<string, TaskRow>();
  readonly units = new Map<string, UnitRow>();
  /** Units that are not over, so that nobody has to look through all of them. */
  readonly open = new Set<UnitRow>();
  readonly #options: DatabaseOptions;

  constructor(options: DatabaseOptions) {
    this.#options = options;
  }

  insert(state: TaskState, scopes: BudgetScope[]): void {
    const log = { last_seq: 0, events: [], folded: foldEvents([]) };
    this.tasks.set(state.id, { state, ...log, scopes, overdrawn: { ...nothingWanted } });
  }

  /** A person, or the sweeper, says something to a task. */
  request(taskId: string, input: TaskInput): Bell[] {
    return this.#transaction(noSlots(), (gathering) => {
      const row = this.tasks.get(taskId);
      if (row !== undefined) this.#apply(row, input, gathering);
    });
  }

  /** One transaction for many changes; new units the process can take itself are claimed in it. */
  commit(
    changes: Change[],
    slots: Slots,
  ): { answers: Answer[]; bells: Bell[]; claimed: UnitRow[] } {
    const answers: Answer[] = [];
    let touched: UnitRow[] = [];
    const bells = this.#transaction(slots, (gathering) => {
      for (const change of changes) {
        const answer =
          change.kind === 'claim'
            ? this.#claim(change.bell, gathering)
            : this.#work(change, gathering);
        if (answer.outcome === 'refused') this.#options.count('refused write');
        answers.push(answer);
      }
      touched = gathering.touched;
    });
    const own = new Set(answers.map((answer) => answer.outcome === 'claimed' && answer.unit));
    const claimed = touched.filter((unit) => unit.status === 'claimed' && !own.has(unit));
    return { answers, bells, claimed };
  }

  renew(unit: UnitRow, epoch: number): void {
    if (this.#owns(unit, epoch)) unit.lease_until = this.#options.now() + leaseSeconds;
  }

  /** A process that ends gives its units back. */
  release(unit: UnitRow, epoch: number): Bell[] {
    if (!this.#owns(unit, epoch)) return [];
    unit.status = 'waiting';
    unit.starts = Math.max(0, unit.starts - 1);
    return [bellOf(unit)];
  }

  /** Gives back what silent workers hold, wakes what parked until now, rings what waits too long. */
  sweep(): Bell[] {
    const now = this.#options.now();
    const rung: UnitRow[] = [];
    for (const unit of this.open) {
      const { status, available_at } = unit;
      if (status === 'claimed' && unit.lease_until < now) this.#options.count('expired lease');
      else if (status === 'parked' && available_at !== null && available_at <= now) {
        this.#options.count('parked until due');
      } else if (status !== 'waiting' || unit.rung_at + ringAgainSeconds > now) continue;
      unit.status = 'waiting';
      unit.available_at = null;
      unit.rung_at = now;
      rung.push(unit);
    }
    return rung.map(bellOf);
  }

  /** Tasks for which an instant has come. */
  due(): string[] {
    if (this.#options.faults.forgetsInstants === true) return [];
    const now = this.#options.now() * 1_000;
    const found: string[] = [];
    for (const { state } of this.tasks.values()) {
      if (state.wake_at !== null && state.wake_at <= now) found.push(state.id);
    }
    return found;
  }

  isQuiet(): boolean {
    for (const { state } of this.tasks.values()) if (!isTerminalTask(state.status)) return false;
    return this.open.size === 0;
  }

  #transaction(slots: Slots, act: (gathering: Gathering) => void): Bell[] {
    const gathering: Gathering = { slots, touched: [], wakes: [], spends: false };
    act(gathering);
    if (this.#options.faults.neverWakes !== true) {
      for (const { task_id, wake } of gathering.wakes) this.#wake(task_id, wake, gathering.touched);
    }
    for (const unit of this.open) if (isOver(unit)) this.open.delete(unit);
    if (gathering.spends) checkScopes(this.tasks.values());
    return gathering.touched.filter(({ status }) => status === 'waiting').map(bellOf);
  }

  #claim({ unit_id, epoch }: Bell, gathering: Gathering): Answer {
    const unit = this.units.get(unit_id);
    const row = this.tasks.get(unit?.task_id ?? '');
    if (row === undefined || unit?.status !== 'waiting' || unit.epoch !== epoch) {
      return { outcome: 'refused' };
    }
    if (unit.starts >= maxStarts) {
      unit.status = 'dead';
      this.#options.count('dead letter');
      const { queue, subtask_id, attempt, starts } = unit;
      const reason = `started ${starts} times without progress`;
      this.#apply(row, { kind: 'unit_died', queue, subtask_id, attempt, reason }, gathering);
      return { outcome: 'refused' };
    }
    this.#apply(row, startOf(unit, unit.parked_for !== null), gathering);
    if (!isStarted(row.state, unit)) {
      // It waits in a new epoch: the ring of this one is used up.
      if (this.#turnAway(row, unit)) unit.epoch += 1;
      return { outcome: 'refused' };
    }
    checkTakenUp(unit, row.state);
    this.#take(unit);
    return { outcome: 'claimed', unit, epoch: unit.epoch };
  }

  #work(work: Work, gathering: Gathering): Answer {
    const { unit, epoch, input, park } = work;
    const { faults } = this.#options;
    const row = this.tasks.get(unit.task_id);
    // A line that stands in the journal already was written by a commit whose answer got lost.
    const repeated = work.adds_line && work.lines_from !== unit.lines;
    if (row === undefined || !this.#owns(unit, epoch) || repeated) return { outcome: 'refused' };
    checkAcceptedWrite(unit, epoch);
    if (work.adds_line) {
      unit.lines += 1;
      this.#log(row, [{ type: 'model.call', data: {} }]);
    }
    if (work.pending !== null) unit.pending = work.pending;
    if (spend(row, unit, work.spent, faults)) gathering.spends = true;
    let granted = true;
    if (work.wants !== null) {
      const { queue, subtask_id, attempt } = unit;
      const key = { queue, subtask_id, attempt };
      this.#apply(row, { kind: 'calls_wanted', unit: key, wants: work.wants }, gathering);
      const { exhausted, paused } = row.state.course;
      granted = exhausted === null && paused?.reason !== 'budget';
      if (!granted) this.#options.count('refused call');
    }
    if (input !== null) {
      if (park === null) unit.status = 'done';
      const events = this.#apply(row, input, gathering);
      checkApplied(work, events, row);
    }
    if (park !== null && unit.status === 'claimed') this.#park(row, unit, park, gathering);
    else if (input === null && (work.adds_line || faults.takesAskingForProgress === true)) {
      unit.starts = 0;
    }
    return { outcome: 'applied', ...signsFor(row.state, unit, granted) };
  }

  #park(row: TaskRow, unit: UnitRow, park: NonNullable<Work['park']>, gathering: Gathering): void {
    const { reason, seconds } = park;
    const overtaken =
      row.state.cancel_mode !== null ||
      (reason === 'pause' && !isHeld(row.state, unit)) ||
      (reason === 'approval' && !isAsking(row.state, unit));
    unit.status = overtaken ? 'waiting' : 'parked';
    unit.starts = 0;
    unit.parked_for = reason;
    unit.available_at = overtaken || seconds === null ? null : this.#options.now() + seconds;
    this.#options.count(overtaken ? 'overtaken park' : `parked for ${reason}`);
    gathering.touched.push(unit);
  }

  #wake(taskId: string, { paused, attempts }: TaskDecision['wake'], touched: UnitRow[]): void {
    for (const unit of this.open) {
      if (unit.task_id !== taskId || unit.status !== 'parked') continue;
      const named = attempts.some(
        ({ subtask_id, attempt }) => subtask_id === unit.subtask_id && attempt === unit.attempt,
      );
      if (!named && !(paused && unit.parked_for === 'pause')) continue;
      unit.status = 'waiting';
      unit.available_at = null;
      unit.rung_at = this.#options.now();
      touched.push(unit);
      this.#options.count('woken unit');
    }
  }

  #owns(unit: UnitRow, epoch: number): boolean {
    if (this.#options.faults.unfenced === true) return true;
    return unit.status === 'claimed' && unit.epoch === epoch;
  }

  #take(unit: UnitRow): void {
    unit.status = 'claimed';
    unit.parked_for = null;
    unit.epoch += 1;
    unit.starts += 1;
    unit.lease_until = this.#options.now() + leaseSeconds;
  }

  #apply(row: TaskRow, input: TaskInput, gathering: Gathering): NewEvent[] {
    const { decide, now, count } = this.#options;
    const before = row.state;
    const context = { now: now() * 1_000, scopes: row.scopes };
    const decision = decide(before, input, context);
    checkDecision(before, input, decision, context);
    row.state = this.#options.stores ? storedAndLoaded(decision.state) : decision.state;
    if (decision.state.course.holds !== before.course.holds) {
      gathering.spends = true;
      moveHolds(row, before, this.#options.faults);
    }
    this.#log(row, decision.events);
    checkReplay(row);
    this.#withdraw(before.id, decision.withdraw);
    for (const { type } of decision.events) count(type);
    for (const change of decision.approvals) {
      if (change.op === 'open') this.#options.asked(before.id, change);
    }
    const { wake } = decision;
    if (wake.paused || wake.attempts.length > 0) gathering.wakes.push({ task_id: before.id, wake });
    for (const unit of decision.units) this.#open(row, unit, gathering);
    return decision.events;
  }

  #open(row: TaskRow, newUnit: TaskDecision['units'][number], gathering: Gathering): void {
    const { slots, touched } = gathering;
    const unit = openUnit(row.state.id, newUnit, this.#options.now(), this.#options.isPoison());
    if (this.units.has(unit.id)) throw new Error(`broken rule: ${unit.id} was handed out twice`);
    this.units.set(unit.id, unit);
    this.open.add(unit);
    touched.push(unit);
    if (slots.queue !== unit.queue || slots.free === 0) return;
    slots.free -= 1;
    this.#take(unit);
    this.#apply(row, startOf(unit, false), gathering);
    if (isStarted(row.state, unit) || unit.status === 'withdrawn') return;
    slots.free += 1;
    this.#options.count('refused local claim');
    this.#turnAway(row, unit);
  }

  /** Nobody may work on a unit now: true when it waits for a pause to end, false when nobody needs it. */
  #turnAway(row: TaskRow, unit: UnitRow): boolean {
    const held = isHeld(row.state, unit);
    unit.status = held ? 'parked' : 'done';
    unit.parked_for = held ? 'pause' : null;
    if (!held) unit.finishes += 1;
    this.#options.count(held ? 'claimed while paused' : 'claimed in vain');
    return held;
  }

  #log(row: TaskRow, events: NewEvent[]): void {
    for (const event of events) row.events.push({ ...event, seq: ++row.last_seq });
    foldEvents(events, row.folded);
  }

  #withdraw(taskId: string, which: TaskDecision['withdraw']): void {
    if (which === 'none') return;
    const spared = this.#options.faults.leavesUnitsOfEnded === true && which === 'all';
    for (const unit of this.open) {
      if (unit.task_id !== taskId || (spared && unit.status === 'claimed')) continue;
      if (which !== 'all' && !which.subtask_ids.includes(unit.subtask_id ?? '')) continue;
      if (['waiting', 'claimed', 'parked'].includes(unit.status)) unit.status = 'withdrawn';
    }
  }
}

function isOver({ status }: UnitRow): boolean {
  return status === 'done' || status === 'withdrawn' || status === 'dead';
}
