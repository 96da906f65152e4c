import type { TaskState } from '@loom/shared/task-state';
import type { Agenda } from './agenda.ts';
import type { Chaos } from './chaos.ts';
import { GroupCommit } from './group-commit.ts';
import type { Random } from './random.ts';
import { isWanted, randomResult, startOf } from './random-work.ts';
import type { Bell, Transition, UnitRow } from './rows.ts';
import type { SimulatedDatabase } from './simulated-database.ts';

/** What a process lives in. */
export interface Surroundings {
  agenda: Agenda;
  random: Random;
  chaos: Chaos;
  database: SimulatedDatabase;
  ring: (bells: Bell[]) => void;
  count: (what: string) => void;
}

const capacity = 5;
const heartbeatSeconds = 5;

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
    this.#beat();
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
    this.#step(0.01, () => {
      const unit = this.world.database.claim(bell);
      if (unit === null) this.#free();
      else this.#begin(unit, unit.epoch);
    });
  }

  #begin(unit: UnitRow, epoch: number): void {
    this.#held.set(unit, epoch);
    const start: Transition = { unit, epoch, input: startOf(unit), ends: false };
    this.#step(0.01, () =>
      this.#submit(start, (state) => {
        if (state === null) this.#free(unit);
        else if (isWanted(state, unit)) this.#work(unit, epoch, this.world.random.int(0, 3));
        else this.#submit({ unit, epoch, input: null, ends: true }, () => this.#free(unit));
      }),
    );
  }

  #work(unit: UnitRow, epoch: number, stepsLeft: number): void {
    const { random, chaos, database } = this.world;
    this.#step(random.next() * chaos.workDelay, () => {
      if (unit.poison) return this.#crash();
      const owned = database.journal(unit, epoch);
      // Whoever is told that he lost the unit should stop. Half of them do not listen.
      if (!owned && random.chance(0.5)) return this.#free(unit);
      if (random.chance(chaos.park) && database.park(unit, epoch, random.next() * 30)) {
        this.world.count('parked unit');
        return this.#free(unit);
      }
      if (stepsLeft > 0) return this.#work(unit, epoch, stepsLeft - 1);
      const stopping = database.tasks.get(unit.task_id)?.state.cancel_mode !== null;
      const input = randomResult(random, unit, stopping);
      this.#submit({ unit, epoch, input, ends: true }, () => this.#free(unit));
    });
  }

  #submit(transition: Transition, answered: (state: TaskState | null) => void): void {
    this.#commits.submit(transition, answered);
  }

  #free(unit?: UnitRow): void {
    this.#busy -= 1;
    if (unit !== undefined) this.#held.delete(unit);
  }

  #openCommits(): GroupCommit {
    return new GroupCommit({
      ...this.world,
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

  #beat(): void {
    this.world.agenda.after(heartbeatSeconds, () => {
      if (this.world.agenda.now >= this.#frozenUntil) {
        for (const [unit, epoch] of this.#held) this.world.database.renew(unit, epoch);
      }
      this.#beat();
    });
  }
}
