import type { DecideTask } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import { decideTask } from '../decide-task.ts';
import { runWorld } from './simulated-world.ts';

const { LOOM_SIM_SEED, LOOM_SIM_RUNS } = process.env;
const firstSeed = Number(LOOM_SIM_SEED ?? 1);
const runs = Number(LOOM_SIM_RUNS ?? (LOOM_SIM_SEED === undefined ? 3_000 : 1));

interface Worlds {
  from?: number;
  runs: number;
  decide?: DecideTask;
  fenced?: boolean;
}

/** Lives a number of worlds and counts what befell them; the first broken rule names its seed. */
function runWorlds({ from = 1, runs, decide = decideTask, fenced = true }: Worlds) {
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  for (let seed = from; seed < from + runs; seed += 1) {
    try {
      runWorld({ seed, decide, fenced, count });
    } catch (cause) {
      throw new Error(`seed ${seed}: ${cause} (LOOM_SIM_SEED=${seed} repeats it)`, { cause });
    }
  }
  return counts;
}

describe('worlds of dying workers and a careless queue', { timeout: 120_000 }, () => {
  it('bring every task to its end by the rules', () => {
    const counts = runWorlds({ from: firstSeed, runs });
    if (runs < 1_000) return;
    for (const what of [
      'crash',
      'freeze',
      'expired lease',
      'refused write',
      'dead letter',
      'parked unit',
      'lost ring',
      'repeated ring',
      'wiped queue',
      'group commit',
      'rolled back commit',
      'lost commit reply',
      'completed task',
      'failed task',
      'cancelled task',
    ]) {
      expect(counts[what] ?? 0, `worlds too kind: ${what}`).toBeGreaterThan(100);
    }
  });

  it('repeat themselves from their seed', () => {
    expect(runWorlds({ runs: 50 })).toEqual(runWorlds({ runs: 50 }));
  });
});

describe('the worlds notice', { timeout: 120_000 }, () => {
  it('a database that does not check the epoch', () => {
    expect(() => runWorlds({ runs: 100, fenced: false })).toThrow('was accepted');
  });

  it('an end that leaves workers in possession of their units', () => {
    const decide: DecideTask = (state, input) => {
      const decision = decideTask(state, input);
      return decision.withdraw === 'all' ? { ...decision, withdraw: 'waiting' } : decision;
    };
    expect(() => runWorlds({ runs: 100, decide })).toThrow(
      /not plan unit|follows the terminal event/,
    );
  });

  it('a cancel that withdraws the unit of a running attempt whose runner died', () => {
    const decide: DecideTask = (state, input) => {
      const decision = decideTask(state, input);
      const withdraws = input.kind === 'stop_requested' && decision.withdraw === 'none';
      return withdraws ? { ...decision, withdraw: 'waiting' } : decision;
    };
    expect(() => runWorlds({ runs: 500, decide })).toThrow('never ended');
  });

  it('an engine that forgets to log a start', () => {
    const decide: DecideTask = (state, input) => {
      const decision = decideTask(state, input);
      const events = decision.events.filter(({ type }) => type !== 'subtask.started');
      return { ...decision, events };
    };
    expect(() => runWorlds({ runs: 100, decide })).toThrow('replay differs');
  });
});
