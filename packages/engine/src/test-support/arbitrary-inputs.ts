import type { Plan, PlanSubtask } from '@loom/shared/plan';
import type { TaskInput, TaskState } from '@loom/shared/task-state';
import { verdictOutcomes } from '@loom/shared/verdict';
import fc from 'fast-check';
import { planOf, specOf, verdictOf } from './task-fixtures.ts';

/** Any graph at all over a few ids: with gaps, cycles, repeated ids and misplaced syntheses. */
export const anyPlan: fc.Arbitrary<Plan> = fc
  .array(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      depends_on: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'ghost'), { maxLength: 2 }),
      is_synthesis: fc.nat(3).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((subtasks) => planOf(...subtasks.map(({ id, ...fields }) => specOf(id, fields))));

/** A graph that can run, its subtasks in any order. */
export const runnablePlan: fc.Arbitrary<Plan> = fc
  .array(
    fc.record({
      earlier: fc.array(fc.nat(6), { maxLength: 2 }),
      deliverables: fc.subarray(['a.md', './b.md', 'b.md', 'c/../a.md'], { maxLength: 2 }),
      is_critical_path: fc.nat(4).map((n) => n === 0),
      wants_synthesis: fc.boolean(),
      max_retries: fc.nat(2),
      model_tier: fc.integer({ min: 1, max: 3 }),
    }),
    { minLength: 1, maxLength: 7 },
  )
  .map((rows) => {
    const needed = new Set(rows.flatMap(({ earlier }, index) => earlier.filter((n) => n < index)));
    return rows.map(
      ({ earlier, wants_synthesis, ...fields }, index): PlanSubtask =>
        specOf(`s${index}`, {
          ...fields,
          depends_on: earlier.filter((n) => n < index).map((n) => `s${n}`),
          is_synthesis: wants_synthesis && !needed.has(index),
        }),
    );
  })
  .chain((subtasks) => fc.shuffledSubarray(subtasks, { minLength: subtasks.length }))
  .map((subtasks) => ({ subtasks }));

/** An input yet to be aimed at a subtask and an attempt of the task as it then stands. */
export type AnyInput = (state: TaskState) => TaskInput;

const aim = fc.record({
  subtask: fc.nat(8),
  // Mostly the current attempt; else one that is past or yet to come.
  offset: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, -1, 1),
});

function aimed(
  make: (at: { subtask_id: string; attempt: number }) => TaskInput,
): fc.Arbitrary<AnyInput> {
  return aim.map(({ subtask, offset }) => ({ subtasks }) => {
    const target = subtasks[subtask % (subtasks.length + 1)];
    return make({ subtask_id: target?.id ?? 'ghost', attempt: (target?.attempts ?? 1) + offset });
  });
}

const failure = { code: 'tool_failed', message: 'it broke' };

const workInput = fc.oneof(
  { weight: 4, arbitrary: aimed((at) => ({ kind: 'attempt_started', ...at })) },
  {
    weight: 4,
    arbitrary: aimed((at) => ({
      kind: 'attempt_done',
      ...at,
      summary: 'done',
      files_changed: [`${at.subtask_id}.md`],
    })),
  },
  { weight: 2, arbitrary: aimed((at) => ({ kind: 'attempt_failed', ...at, failure })) },
  { weight: 1, arbitrary: aimed((at) => ({ kind: 'attempt_cancelled', ...at })) },
  { weight: 1, arbitrary: aimed((at) => ({ kind: 'verification_started', ...at })) },
  {
    weight: 4,
    arbitrary: fc
      .record({ outcome: fc.constantFrom(...verdictOutcomes), conclusive: fc.boolean() })
      .chain((fields) =>
        aimed((at) => ({ kind: 'verdict_given', ...at, verdict: verdictOf(fields) })),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('subtasks', 'verifications', 'deliveries', 'turns')
      .chain((queue) => aimed((at) => ({ kind: 'unit_died', queue, ...at, reason: 'died' }))),
  },
);

const planInput: fc.Arbitrary<TaskInput> = fc.oneof(
  fc.constant<TaskInput>({ kind: 'planning_started' }),
  fc.oneof(anyPlan, runnablePlan).map((plan) => ({ kind: 'plan_made', plan }) as const),
  fc.oneof(fc.constant(null), runnablePlan).map((plan) => ({ kind: 'created', plan }) as const),
  fc.constant<TaskInput>({
    kind: 'plan_invalid',
    errors: [{ subtask_id: 'a', code: 'cycle', message: 'waits for itself' }],
  }),
  fc.boolean().map((degrade) => ({ kind: 'plan_unavailable', reason: 'away', degrade }) as const),
  fc.constant<TaskInput>({
    kind: 'unit_died',
    queue: 'plans',
    subtask_id: null,
    attempt: null,
    reason: 'died',
  }),
);

const controlInput = fc.oneof(
  fc.constantFrom('cancel', 'abort').map(
    (mode): AnyInput =>
      () => ({ kind: 'stop_requested', mode, by: 'key_1' }),
  ),
  fc.constant<AnyInput>(() => ({ kind: 'retry_requested', by: 'key_1', subtask_id: null })),
  aimed(({ subtask_id }) => ({ kind: 'retry_requested', by: 'key_1', subtask_id })),
);

/** Everything that can be said to a task, in and out of place. */
export const anyInput: fc.Arbitrary<AnyInput> = fc.oneof(
  { weight: 16, arbitrary: workInput },
  {
    weight: 2,
    arbitrary: planInput.map(
      (input): AnyInput =>
        () =>
          input,
    ),
  },
  { weight: 1, arbitrary: controlInput },
);
