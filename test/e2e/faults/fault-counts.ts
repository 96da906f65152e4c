/** True in `npm run test:faults`, where there is time to repeat and to measure. */
export const isFullRun = process.env.LOOM_FAULTS === 'full';

/** How often a fault is repeated: few times in `npm test`, often in `npm run test:faults`. */
export function faultCount(counts: { short: number; full: number }): number {
  return isFullRun ? counts.full : counts.short;
}

/** A generator of repeatable choices; its seed is printed so that a failure can be replayed. */
export function seededChoice(name: string): (below: number) => number {
  let state = Number(process.env.LOOM_SEED ?? Date.now() % 1_000_000_000);
  console.info(`${name}: LOOM_SEED=${state}`);
  return (below) => {
    // A linear congruential generator is random enough to choose victims.
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
