import type { Random } from './random.ts';

/** How hostile a world is. Probabilities are per step of a worker, per ring or per commit. */
export interface Chaos {
  crash: number;
  freeze: number;
  /** A process gives a unit back because it ends in good order. */
  drain: number;
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
  /** A model asks for patience. */
  park: number;
  poison: number;
  /** An attempt fails, or its verifier says so. */
  failure: number;
  /** A call must be asked about. */
  gate: number;
  /** An approval that somebody looks at in time; and how often it is granted. */
  attention: number;
  generosity: number;
}

/** From a quiet day to a very bad one. */
export function randomChaos(random: Random): Chaos {
  const upTo = (most: number) => (random.chance(0.3) ? 0 : random.next() * most);
  return {
    crash: upTo(0.06),
    freeze: upTo(0.04),
    drain: upTo(0.05),
    loseRing: upTo(0.5),
    duplicateRing: upTo(0.5),
    ringDelay: random.pick([0.01, 1, 20]),
    workDelay: random.pick([0.5, 6, 20]),
    commitDelay: random.pick([0.01, 1, 5]),
    flushes: random.int(1, 2),
    rollBack: upTo(0.1),
    loseCommitReply: upTo(0.1),
    park: upTo(0.1),
    poison: upTo(0.06),
    failure: upTo(0.5),
    gate: upTo(0.3),
    attention: random.next(),
    generosity: random.next(),
  };
}

/** The storm is over: from here on everything must come to its end. */
export function calmDown(chaos: Chaos): void {
  chaos.crash = 0;
  chaos.freeze = 0;
  chaos.drain = 0;
  chaos.loseRing = 0;
  chaos.duplicateRing = 0;
  chaos.rollBack = 0;
  chaos.loseCommitReply = 0;
  chaos.park = 0;
  chaos.gate = 0;
  chaos.attention = 0;
  chaos.workDelay = 0.5;
}
