import type { DecideTask } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import { decideTask } from '../decide-task.ts';
import type { DatabaseFaults } from './database-faults.ts';
import { runWorld } from './simulated-world.ts';

const { LOOM_SIM_SEED, LOOM_SIM_RUNS } = process.env;
const firstSeed = Number(LOOM_SIM_SEED ?? 1);
const runs = Number(LOOM_SIM_RUNS ?? (LOOM_SIM_SEED === undefined ? 3_000 : 1));

interface Worlds {
  from?: number;
  runs: number;
  decide?: DecideTask;
  faults?: DatabaseFaults;
}

/** Lives a number of worlds and counts what befell them; the first broken rule names its seed. */
function runWorlds({ from = 1, runs, decide = decideTask, faults = {} }: Worlds) {
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  for (let seed = from; seed < from + runs; seed += 1) {
    try {
      runWorld({ seed, decide, faults, count });
    } catch (cause) {
      throw new Error(`seed ${seed}: ${cause} (LOOM_SIM_SEED=${seed} repeats it)`, { cause });
    }
  }
  return counts;
}

describe('worlds of dying workers, a careless queue and restless people', {
  timeout: 600_000,
}, () => {
  it('bring every task to its end by the rules', () => {
    const counts = runWorlds({ from: firstSeed, runs });
    if (runs < 1_000) return;
    for (const what of [...disasters, ...turns]) {
      expect(counts[what] ?? 0, `worlds too kind: ${what}`).toBeGreaterThan(10);
    }
  });

  it('repeat themselves from their seed', () => {
    expect(runWorlds({ runs: 50 })).toEqual(runWorlds({ runs: 50 }));
  });
});

const disasters = [
  'crash',
  'freeze',
  'expired lease',
  'refused write',
  'dead letter',
  'drained unit',
  'lost ring',
  'repeated ring',
  'wiped queue',
  'group commit',
  'rolled back commit',
  'lost commit reply',
];

const turns = [
  'completed task',
  'failed task',
  'cancelled task',
  'parked for model',
  'parked for approval',
  'parked for pause',
  'parked until due',
  'overtaken park',
  'woken unit',
  'claimed while paused',
  'claimed in vain',
  'refused local claim',
  'refused call',
  'approve tool',
  'deny tool',
  'approve result',
  'deny result',
  'approve replan',
  'approve budget',
  'approve plan',
  'approval.expired',
  'task.replanning',
  'task.plan_rejected',
  'task.plan_degraded',
  'task.stalled',
  'task.budget_exhausted',
  'task.budget_raised',
  'task.steered',
  'task.retried',
  'subtask.outcome_stale',
  'subtask.starved',
  'verification.retrying',
  'remediation.attempted',
  'remediation.resolved',
  'remediation.expired',
];

describe('the worlds notice', { timeout: 120_000 }, () => {
  it.each<[string, DatabaseFaults, string | RegExp]>([
    ['does not check the epoch', { unfenced: true }, 'was accepted'],
    [
      'leaves workers in possession of the units of an ended task',
      { leavesUnitsOfEnded: true },
      /not plan unit|follows the terminal event|an ended task/,
    ],
    ['does not wake parked units', { neverWakes: true }, 'never ended'],
    ['does not tell tasks that time has passed', { forgetsInstants: true }, 'never ended'],
    ['does not hold against a session what its tasks hold', { forgetsHolds: true }, /holds \d/],
    ['holds a call that was made', { keepsSpentHolds: true }, 'are used or held'],
    ['takes a mere question for progress', { takesAskingForProgress: true }, 'never ended'],
  ])('a database that %s', (_, faults, rule) => {
    expect(() => runWorlds({ runs: 1_000, faults })).toThrow(rule);
  });

  it('a cancel that withdraws the unit of a running attempt whose runner died', () => {
    const decide: DecideTask = (state, input, context) => {
      const decision = decideTask(state, input, context);
      const withdraws = input.kind === 'stop_requested' && decision.withdraw === 'none';
      const subtask_ids = state.subtasks.map(({ id }) => id);
      return withdraws ? { ...decision, withdraw: { subtask_ids } } : decision;
    };
    expect(() => runWorlds({ runs: 500, decide })).toThrow('never ended');
  });

  it('an engine that forgets to log a start', () => {
    const decide: DecideTask = (state, input, context) => {
      const decision = decideTask(state, input, context);
      const events = decision.events.filter(({ type }) => type !== 'subtask.started');
      return { ...decision, events };
    };
    expect(() => runWorlds({ runs: 100, decide })).toThrow('replay differs');
  });

  it('an engine that forgets to wake what waits for a pause to end', () => {
    const decide: DecideTask = (state, input, context) => {
      const decision = decideTask(state, input, context);
      return { ...decision, wake: { ...decision.wake, paused: false } };
    };
    expect(() => runWorlds({ runs: 500, decide })).toThrow('never ended');
  });

  it('an engine that forgets to wake an attempt whose question was answered', () => {
    const decide: DecideTask = (state, input, context) => {
      const decision = decideTask(state, input, context);
      return { ...decision, wake: { ...decision.wake, attempts: [] } };
    };
    expect(() => runWorlds({ runs: 500, decide })).toThrow('is woken when its question');
  });

  it('an engine that forgets the next instant', () => {
    const decide: DecideTask = (state, input, context) => {
      const decision = decideTask(state, input, context);
      return { ...decision, state: { ...decision.state, wake_at: null } };
    };
    expect(() => runWorlds({ runs: 500, decide })).toThrow('the next instant is kept');
  });

  it('an engine that grants without looking at the limits', () => {
    const decide: DecideTask = (state, input, context) => {
      const { limits } = state;
      const decision = decideTask({ ...state, limits: {} }, input, { ...context, scopes: [] });
      return { ...decision, state: { ...decision.state, limits } };
    };
    expect(() => runWorlds({ runs: 500, decide })).toThrow('were made and 0 granted');
  });

  it('an engine that starts work in a paused task', () => {
    const decide: DecideTask = (state, input, context) => {
      const { paused } = state.course;
      const begins = input.kind === 'attempt_started' && paused?.reason === 'request';
      if (!begins) return decideTask(state, input, context);
      const awake = { ...state, course: { ...state.course, paused: null } };
      const decision = decideTask(awake, input, context);
      return {
        ...decision,
        state: { ...decision.state, course: { ...decision.state.course, paused } },
      };
    };
    expect(() => runWorlds({ runs: 500, decide })).toThrow(/paused/);
  });
});
