import { isActiveSubtask } from '@loom/shared/statuses';
import type { TaskDecision, TaskState } from '@loom/shared/task-state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideTask } from './decide-task.ts';
import { compareReplay, foldEvents, replayableState } from './fold-events.ts';
import { anyInput } from './test-support/arbitrary-inputs.ts';
import { runnablePlan } from './test-support/arbitrary-plans.ts';
import { anyScopes, anyTask } from './test-support/arbitrary-task.ts';
import { checkDecision } from './test-support/check-decision.ts';
import { storedAndLoaded } from './test-support/stored-state.ts';

const anyStory = fc.record({
  task: anyTask,
  scopes: anyScopes,
  plan: fc.option(runnablePlan, { freq: 4 }),
  steps: fc.array(
    fc.record({
      seconds: fc.constantFrom(0, 0, 0, 0, 0, 0.5, 0.5, 0.5, 2, 3, 30),
      tokens: fc.constantFrom(0, 0, 0, 100),
      input: anyInput,
    }),
    { size: 'max', maxLength: 120 },
  ),
});
type Story = typeof anyStory extends fc.Arbitrary<infer T> ? T : never;

/** Tells a story step by step: time goes by, calls cost something, somebody says something. */
function* tell({ task, scopes, plan, steps }: Story, load: (state: TaskState) => TaskState) {
  let state = task;
  let now = 1_000_000;
  const created = { seconds: 0, tokens: 0, input: () => ({ kind: 'created', plan }) as const };
  for (const { seconds, tokens, input: aim } of [created, ...steps]) {
    now += seconds * 1_000;
    const spent = { ...state.spent, tokens: state.spent.tokens + tokens };
    const before = load({ ...state, spent: { ...spent, cost_micros: spent.tokens } });
    const input = aim(before);
    const context = { now, scopes };
    const decision = decideTask(deepFreeze(before), deepFreeze(input), deepFreeze(context));
    yield { before, input, decision, context };
    state = decision.state;
  }
}

describe('decideTask, whatever it is told in whatever order', { timeout: 120_000 }, () => {
  it('keeps every rule at every step, mutates nothing and can be replayed from its log', () => {
    const seen = new Map<string, number>();
    const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
    fc.assert(
      fc.property(anyStory, (story) => {
        const folded = foldEvents([]);
        const handedOut = new Set<string>();
        const open = new Set<string>();
        for (const { before, input, decision, context } of tell(story, (state) => state)) {
          checkDecision(before, input, decision, context);
          checkUnits(decision, handedOut, open);
          foldEvents(decision.events, folded);
          const differences = compareReplay(folded, replayableState(decision.state));
          if (differences.length > 0) throw new Error(differences.join('; '));
          for (const { type } of decision.events) note(type);
          note(decision.state.status);
        }
      }),
      { numRuns: 600 },
    );
    // Otherwise the stories would be too dull to prove anything.
    for (const what of tellingThings) expect(seen.get(what) ?? 0, what).toBeGreaterThan(0);
  });

  it('decides the same when the state was written and read in between', () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        const kept = tell(story, (state) => state);
        for (const { decision } of tell(story, storedAndLoaded)) {
          expect(decision).toEqual(kept.next().value?.decision);
        }
      }),
      { numRuns: 40 },
    );
  });
});

const tellingThings = [
  'completed',
  'failed',
  'cancelled',
  'running',
  'paused',
  'awaiting_confirmation',
  'task.replanning',
  'task.plan_rejected',
  'task.plan_degraded',
  'task.stalled',
  'task.budget_exhausted',
  'task.budget_raised',
  'task.resumed',
  'task.retried',
  'subtask.outcome_stale',
  'subtask.starved',
  'verification.retrying',
  'remediation.attempted',
  'remediation.expired',
  'approval.decided',
  'approval.expired',
];

/** Units are handed out once, and whatever is at work has one. */
function checkUnits(decision: TaskDecision, handedOut: Set<string>, open: Set<string>): void {
  const { state, units, withdraw } = decision;
  if (withdraw === 'all') open.clear();
  else if (withdraw !== 'none') {
    for (const unit of open) {
      if (withdraw.subtask_ids.some((id) => unit.split(' ')[1] === id)) open.delete(unit);
    }
  }
  for (const { queue, subtask_id, attempt, round } of units) {
    const unit = `${queue} ${subtask_id} ${attempt} ${round}`;
    if (handedOut.has(unit)) throw new Error(`${unit} was handed out twice`);
    handedOut.add(unit);
    open.add(unit);
  }
  const needed = state.subtasks
    .filter(({ status }) => isActiveSubtask(status))
    .map(({ id, attempts, status, trail }) =>
      status === 'verifying'
        ? `verifications ${id} ${attempts} ${trail.verification_round}`
        : `subtasks ${id} ${attempts} 1`,
    );
  if (state.course.replan !== null) needed.push(`plans null ${state.plan_attempts} 1`);
  for (const unit of needed) {
    if (!open.has(unit)) throw new Error(`${unit} is at work without a unit`);
  }
}

function deepFreeze<T extends object>(value: T): T {
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  }
  return value;
}
