import { nothingSpent } from '@loom/shared/budget';
import type { WorkSigns } from '@loom/shared/work';
import type { Agenda } from './agenda.ts';
import type { Chaos } from './chaos.ts';
import { GroupCommit } from './group-commit.ts';
import type { Random } from './random.ts';
import { earlyEnd, oneModelCall, randomCalls, randomResult, wantsFor } from './random-work.ts';
import type { Answer, Bell, Change, UnitRow, Work } from './rows.ts';
import type { SimulatedDatabase } from './simulated-database.ts';
import { isMetered, signsFor } from './unit-view.ts';

/** What a process lives in. */
export interface Surroundings {
  agenda: Agenda;
  random: Random;
  chaos: Chaos;
  database: SimulatedDatabase;
  ring: (bells: Bell[]) => void;
  count: (what: string) => void;
}

/** A unit in the hands of a worker: its fence, and what the worker knows of it. */
interface Job {
  unit: UnitRow;
  epoch: number;
  lines: number;
  pending: UnitRow['pending'];
  metered: boolean;
  /** Model calls that it still wants to make before it ends. */
  rounds: number;
}

const capacity = 5;

/** A planner, runner or verifier: it can die or freeze between any two of its steps. */
export class SimulatedProcess {
  /** Grows with each crash: whatever an earlier life had planned does not happen. */
  #life = 0;
  #downUntil = 0;
  #frozenUntil = 0;
  #held = new Map<UnitRow, number>();
  #busy = 0;
  #commits: GroupCommit;

  constructor(
    readonly queue: UnitRow['queue'],
    private readonly world: Surroundings,
  ) {
    this.#commits = this.#openCommits();
  }

  isReady(): boolean {
    const { now } = this.world.agenda;
    return now >= this.#downUntil && now >= this.#frozenUntil && this.#busy < capacity;
  }

  isIdle(): boolean {
    return this.#busy === 0;
  }

  receive(bell: Bell): void {
    this.#busy += 1;
    this.#step(0.01, () =>
      this.#commits.submit({ kind: 'claim', bell }, (answer) => {
        if (answer.outcome === 'claimed') this.#begin(answer.unit, answer.epoch);
        else this.#free();
      }),
    );
  }

  /** Takes a unit up where its journal ends; whoever goes on with one asks again before any call. */
  #begin(unit: UnitRow, epoch: number): void {
    this.#held.set(unit, epoch);
    const { random, database } = this.world;
    const row = database.tasks.get(unit.task_id);
    if (row === undefined) return this.#free(unit);
    const { lines, pending } = unit;
    const metered = isMetered(row);
    const job = { unit, epoch, lines, pending, metered, rounds: random.int(0, 2) };
    const signs = signsFor(row.state, unit, true);
    const asks = metered && (epoch > 1 || unit.queue === 'verifications');
    if (this.#endsEarly(job, signs)) return;
    if (asks) this.#progress(job, { wants: wantsFor(job.pending) });
    else this.#work(job);
  }

  #work(job: Job): void {
    const { random, chaos, database } = this.world;
    this.#step(random.next() * chaos.workDelay, () => {
      if (job.unit.poison) return this.#crash();
      if (random.chance(chaos.drain)) {
        this.world.count('drained unit');
        this.world.ring(database.release(job.unit, job.epoch));
        return this.#free(job.unit);
      }
      if (job.pending.tool > 0) return this.#callTool(job);
      if (random.chance(chaos.park)) {
        return this.#finish(job, { park: { reason: 'model', seconds: random.next() * 60 } });
      }
      this.#callModel(job);
    });
  }

  /** A reply arrived: it ends the unit, or names tools to call. */
  #callModel(job: Job): void {
    const { random, database, chaos } = this.world;
    const row = database.tasks.get(job.unit.task_id);
    if (row === undefined) return;
    const tokens = random.int(1, 1_000);
    const spent = { ...nothingSpent, tokens, cost_micros: tokens, model_calls: 1 };
    if (job.rounds === 0 || job.unit.queue === 'verifications') {
      const input = randomResult(random, job.unit, row.state, chaos);
      return this.#finish(job, { adds_line: true, spent, input });
    }
    job.rounds -= 1;
    const pending = job.unit.queue === 'plans' ? job.pending : randomCalls(random);
    this.#progress(job, { adds_line: true, spent, pending, wants: wantsFor(pending) });
  }

  /** A tool ran, unless a person has to be asked about it first. */
  #callTool(job: Job): void {
    const { random, chaos } = this.world;
    const { unit, lines } = job;
    const { subtask_id, attempt } = unit;
    if (subtask_id === null || attempt === null) return;
    if (unit.asked_at !== lines && random.chance(chaos.gate)) {
      unit.asked_at = lines;
      const call = { call_key: `${unit.id}.${lines}`, tool: 'shell_execute', arguments: {} };
      const ask = { subtask_id, attempt, ...call, reason: 'it deletes' };
      const input = { kind: 'approval_requested', ...ask } as const;
      return this.#finish(job, { input, park: { reason: 'approval', seconds: null } });
    }
    const mutating_tool_calls = Math.min(1, job.pending.mutating);
    const spent = { ...nothingSpent, tool_calls: 1, mutating_tool_calls };
    const pending = {
      tool: job.pending.tool - 1,
      mutating: job.pending.mutating - mutating_tool_calls,
    };
    const wants = pending.tool === 0 ? oneModelCall : null;
    this.#progress(job, { adds_line: true, spent, pending, wants });
  }

  /** Writes a step of the work and goes on as the answer says. */
  #progress(job: Job, fields: Partial<Work>): void {
    this.#commits.submit(this.#change(job, fields), (answer) => {
      if (this.#isLost(job, answer)) return;
      job.lines += fields.adds_line === true ? 1 : 0;
      job.pending = fields.pending ?? job.pending;
      if (answer.outcome === 'applied' && this.#endsEarly(job, answer)) return;
      this.#work(job);
    });
  }

  /** Whoever is told that he lost the unit should stop. Half of them do not listen. */
  #isLost({ unit, epoch }: Job, { outcome }: Answer): boolean {
    const isOwner = unit.status === 'claimed' && unit.epoch === epoch;
    if (outcome === 'applied' || (!isOwner && this.world.random.chance(0.5))) return false;
    this.#free(unit);
    return true;
  }

  /** Stops, parks or gives up at a boundary, if that is what the signs say. */
  #endsEarly(job: Job, signs: Pick<WorkSigns, 'stopping' | 'pausing' | 'granted'>): boolean {
    const { random, database } = this.world;
    const row = database.tasks.get(job.unit.task_id);
    if (row === undefined || (!signs.stopping && !signs.pausing && signs.granted)) return false;
    // Some notice only after their last word, which needs no further call.
    const hasty = random.chance(0.2);
    const input = randomResult(random, job.unit, row.state, this.world.chaos);
    this.#finish(job, hasty ? { input } : earlyEnd(job.unit, signs, input));
    return true;
  }

  #finish(job: Job, fields: Partial<Work>): void {
    this.#commits.submit(this.#change(job, fields), () => this.#free(job.unit));
  }

  #change({ unit, epoch, lines, metered }: Job, fields: Partial<Work>): Change {
    return {
      kind: 'work',
      unit,
      epoch,
      lines_from: lines,
      adds_line: false,
      pending: null,
      spent: nothingSpent,
      input: null,
      park: null,
      ...fields,
      wants: metered ? (fields.wants ?? null) : null,
    };
  }

  #free(unit?: UnitRow): void {
    this.#busy -= 1;
    if (unit !== undefined) this.#held.delete(unit);
  }

  #openCommits(): GroupCommit {
    return new GroupCommit({
      world: this.world,
      queue: this.queue,
      step: (delay, act) => this.#step(delay, act),
      reserve: () => capacity - this.#busy,
      began: (units) => {
        this.#busy += units.length;
        return units.map((unit) => ({ unit, epoch: unit.epoch }));
      },
      begin: ({ unit, epoch }) => this.#begin(unit, epoch),
    });
  }

  #step(delay: number, act: () => void): void {
    const { agenda, random, chaos, count } = this.world;
    const life = this.#life;
    const take = () => {
      if (life !== this.#life) return;
      if (agenda.now < this.#frozenUntil) {
        agenda.after(this.#frozenUntil - agenda.now, take);
      } else if (random.chance(chaos.crash)) {
        this.#crash();
      } else if (random.chance(chaos.freeze)) {
        count('freeze');
        this.#frozenUntil = agenda.now + random.next() * 45;
        agenda.after(this.#frozenUntil - agenda.now, take);
      } else act();
    };
    agenda.after(delay, take);
  }

  #crash(): void {
    this.world.count('crash');
    this.#life += 1;
    this.#downUntil = this.world.agenda.now + this.world.random.next() * 5;
    this.#held = new Map();
    this.#busy = 0;
    this.#commits = this.#openCommits();
  }

  /** Renews the leases of what it holds, unless it is frozen. */
  beat(): void {
    if (this.world.agenda.now < this.#frozenUntil) return;
    for (const [unit, epoch] of this.#held) this.world.database.renew(unit, epoch);
  }
}
