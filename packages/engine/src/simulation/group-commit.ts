import type { Chaos } from './chaos.ts';
import type { Random } from './random.ts';
import type { Answer, Bell, Change, UnitRow } from './rows.ts';
import type { SimulatedDatabase } from './simulated-database.ts';

interface Claim {
  unit: UnitRow;
  epoch: number;
}

interface GroupCommitOptions {
  queue: UnitRow['queue'];
  world: {
    database: SimulatedDatabase;
    random: Random;
    chaos: Chaos;
    count: (what: string) => void;
    ring: (bells: Bell[]) => void;
  };
  /** The process's next step, which it may not live to take. */
  step: (delay: number, act: () => void) => void;
  /** How many units more the process can take. */
  reserve: () => number;
  began: (units: UnitRow[]) => Claim[];
  begin: (claim: Claim) => void;
}

interface Entry {
  change: Change;
  answered: (answer: Answer) => void;
}

/** What finishes while a flush is under way waits and commits together. */
export class GroupCommit {
  #waiting: Entry[] = [];
  #flushes = 0;

  constructor(private readonly options: GroupCommitOptions) {}

  submit(change: Change, answered: Entry['answered']): void {
    this.#waiting.push({ change, answered });
    this.#flush();
  }

  #flush(): void {
    if (this.#flushes >= this.options.world.chaos.flushes || this.#waiting.length === 0) return;
    this.#flushes += 1;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#send(batch);
  }

  #send(batch: Entry[]): void {
    const { world, step, queue, reserve, began, begin } = this.options;
    const { database, random, chaos, count, ring } = world;
    step(random.next() * chaos.commitDelay, () => {
      if (random.chance(chaos.rollBack)) {
        count('rolled back commit');
        return this.#send(batch);
      }
      if (batch.length > 1) count('group commit');
      const changes = batch.map(({ change }) => change);
      if (random.chance(chaos.loseCommitReply)) {
        // It did commit, but nobody here knows: sending it again must change nothing.
        count('lost commit reply');
        database.commit(changes, { queue, free: 0 });
        return this.#send(batch);
      }
      const { answers, bells, claimed } = database.commit(changes, { queue, free: reserve() });
      const claims = began(claimed);
      step(0.01, () => {
        this.#flushes -= 1;
        ring(bells);
        for (const claim of claims) begin(claim);
        batch.forEach(({ answered }, index) => {
          answered(answers[index] ?? { outcome: 'refused' });
        });
        this.#flush();
      });
    });
  }
}
