import type { Plan, PlanSubtask } from '@loom/shared/plan';
import fc from 'fast-check';
import { planOf, specOf } from './task-fixtures.ts';

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
