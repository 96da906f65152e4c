import type { DecideTask } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import { decideTask } from './decide-task.ts';
import { runWorld } from './simulation/simulated-world.ts';

const firstSeed = Number(process.env.LOOM_SIM_SEED ?? 1);
const runs = Number(process.env.LOOM_SIM_RUNS ?? (process.env.LOOM_SIM_SEED ? 1 : 3_000));

/** Lives a number of worlds and counts what befell them; the first broken rule names its seed. */
function runWorlds(options: { runs: number; decide?: DecideTask; fenced?: boolean }) {
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const { decide = decideTask, fenced = true } = options;
  for (let seed = firstSeed; seed < firstSeed + options.runs; seed += 1) {
    try {
      runWorld({ seed, decide, fenced, count });
    } catch (error) {
      throw new Error(`seed ${seed}: ${error}; LOOM_SIM_SEED=${seed} repeats it`, { cause: error });
    }
  }
  return counts;
}

describe('simulated worlds of crashing, freezing workers and a careless queue', {
  timeout: 120_000,
}, () => {
  it('bring every task to its end by the rules', () => {
    const counts = runWorlds({ runs });
    console.log(counts);
  });
});
