import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideTask } from './decide-task.ts';
import { compareReplay, foldEvents, replayableState } from './fold-events.ts';
import { anyInput, runnablePlan } from './test-support/arbitrary-inputs.ts';
import { checkDecision, checkWithdrawal } from './test-support/check-decision.ts';
import { freshTask } from './test-support/task-fixtures.ts';

const anyStory = fc.record({
  plan: fc.option(runnablePlan, { freq: 6 }),
  max_parallel: fc.integer({ min: 1, max: 3 }),
  inputs: fc.array(anyInput, { size: 'max', maxLength: 120 }),
});

describe('decideTask, whatever it is told in whatever order', () => {
  it('keeps every rule at every step, mutates nothing and can be replayed from its log', {
    timeout: 60_000,
  }, () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(anyStory, ({ plan, max_parallel, inputs }) => {
        let state = freshTask({ max_parallel });
        const log = [];
        const handedOut = new Set<string>();
        for (const resolve of [() => ({ kind: 'created', plan }) as const, ...inputs]) {
          const input = resolve(state);
          const decision = decideTask(deepFreeze(state), deepFreeze(input));
          checkDecision(state, input, decision);
          checkWithdrawal(decision);
          for (const { queue, subtask_id, attempt } of decision.units) {
            const unit = `${queue} ${subtask_id} ${attempt}`;
            if (handedOut.has(unit)) throw new Error(`${unit} was handed out twice`);
            handedOut.add(unit);
          }
          log.push(...decision.events);
          const differences = compareReplay(foldEvents(log), replayableState(decision.state));
          if (differences.length > 0) throw new Error(differences.join('; '));
          state = decision.state;
        }
        seen.set(state.status, (seen.get(state.status) ?? 0) + 1);
      }),
      { numRuns: 400 },
    );
    // Otherwise the stories would be too dull to prove anything.
    for (const status of ['completed', 'failed', 'cancelled', 'running']) {
      expect(seen.get(status) ?? 0, `stories that end ${status}`).toBeGreaterThan(0);
    }
  });

  it('says the same thing each time it is asked', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(anyStory, ({ plan, max_parallel, inputs }) => {
        let state = decideTask(freshTask({ max_parallel }), { kind: 'created', plan }).state;
        for (const resolve of inputs) {
          const input = resolve(state);
          const decision = decideTask(state, input);
          expect(decideTask(structuredClone(state), input)).toEqual(decision);
          state = decision.state;
        }
      }),
      { numRuns: 25 },
    );
  });
});

function deepFreeze<T extends object>(value: T): T {
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  }
  return value;
}
