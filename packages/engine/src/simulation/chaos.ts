import type { Random } from './random.ts';

/** How hostile a world is. Probabilities are per step of a worker, per ring or per commit. */
export interface Chaos {
  crash: number;
  freeze: number;
  loseRing: number;
  duplicateRing: number;
  /** Seconds a ring may be late, which also shuffles rings. */
  ringDelay: number;
  /** Seconds a step of work may take. */
  workDelay: number;
  /** Seconds a commit may take; whatever finishes meanwhile commits with the next. */
  commitDelay: number;
  /** Commits a process may have under way. */
  flushes: number;
  rollBack: number;
  loseCommitReply: number;
  park: number;
  poison: number;
}

/** From a quiet day to a very bad one. */
export function randomChaos(random: Random): Chaos {
  const upTo = (most: number) => (random.chance(0.3) ? 0 : random.next() * most);
  return {
    crash: upTo(0.08),
    freeze: upTo(0.05),
    loseRing: upTo(0.5),
    duplicateRing: upTo(0.5),
    ringDelay: random.pick([0.01, 1, 20]),
    workDelay: random.pick([0.5, 6, 20]),
    commitDelay: random.pick([0.01, 1, 5]),
    flushes: random.int(1, 2),
    rollBack: upTo(0.1),
    loseCommitReply: upTo(0.1),
    park: upTo(0.1),
    poison: upTo(0.1),
  };
}

/** The storm is over: from here on everything must come to its end. */
export function calmDown(chaos: Chaos): void {
  chaos.crash = 0;
  chaos.freeze = 0;
  chaos.loseRing = 0;
  chaos.duplicateRing = 0;
  chaos.rollBack = 0;
  chaos.loseCommitReply = 0;
  chaos.park = 0;
}
