import type { Plan } from '@loom/shared/plan';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyPlan, runnablePlan } from './test-support/arbitrary-plans.ts';
import { validatePlan } from './validate-plan.ts';

/** The same judgement from first principles: by the transitive closure of the dependencies. */
function bruteForceProblems({ subtasks }: Plan): Set<string> {
  const found = new Set<string>();
  const ids = subtasks.map(({ id }) => id);
  for (const id of ids) {
    if (ids.filter((other) => other === id).length > 1) found.add(`${id} duplicate_id`);
  }
  const last = (id: string) => subtasks.findLast((one) => one.id === id);
  for (const { id, depends_on, is_synthesis } of subtasks) {
    for (const dependency of depends_on) {
      const target = last(dependency);
      if (target === undefined) found.add(`${id} unknown_dependency`);
      else if (target.is_synthesis && is_synthesis)
        found.add(`${dependency} synthesis_has_dependents`);
      else if (target.is_synthesis) found.add(`${id} depends_on_synthesis`);
    }
  }
  const reach = new Map(ids.map((id) => [id, new Set(last(id)?.depends_on)]));
  for (const via of ids) {
    for (const from of ids) {
      if (!reach.get(from)?.has(via)) continue;
      for (const to of reach.get(via) ?? []) reach.get(from)?.add(to);
    }
  }
  for (const id of ids) {
    const reached = [...(reach.get(id) ?? [])];
    if (reached.some((other) => reach.get(other)?.has(other))) found.add(`${id} cycle`);
  }
  return found;
}

it('finds exactly what is wrong with any graph', () => {
  const verdicts = { sound: 0, unsound: 0 };
  fc.assert(
    fc.property(anyPlan, (plan) => {
      const problems = new Set(
        validatePlan(plan).map(({ subtask_id, code }) => `${subtask_id} ${code}`),
      );
      expect(problems).toEqual(bruteForceProblems(plan));
      verdicts[problems.size === 0 ? 'sound' : 'unsound'] += 1;
    }),
    { numRuns: 2_000 },
  );
  expect(verdicts.sound).toBeGreaterThan(50);
  expect(verdicts.unsound).toBeGreaterThan(50);
});

it('finds nothing wrong with graphs built to run', () => {
  fc.assert(
    fc.property(runnablePlan, (plan) => {
      expect(validatePlan(plan)).toEqual([]);
    }),
  );
});
