import { describe, expect, it } from 'vitest';
import { normalisePlan } from './normalise-plan.ts';
import { planOf, specOf } from './test-support/task-fixtures.ts';
import { validatePlan } from './validate-plan.ts';

const sum = (id: string, depends_on: string[] = []) =>
  specOf(id, { is_synthesis: true, depends_on });

describe('normalisePlan', () => {
  it('makes a synthesis that others wait for an ordinary subtask, so that the plan can run', () => {
    const plan = planOf('a', sum('draft', ['a']), specOf('polish', { depends_on: ['draft'] }));
    expect(validatePlan(plan)).not.toEqual([]);
    const normal = normalisePlan(plan);
    expect(normal.subtasks.map(({ is_synthesis }) => is_synthesis)).toEqual([false, false, false]);
    expect(validatePlan(normal)).toEqual([]);
  });

  it('demotes each one of a chain but the last', () => {
    const normal = normalisePlan(planOf('a', sum('one', ['a']), sum('two', ['one'])));
    expect(normal.subtasks.map(({ is_synthesis }) => is_synthesis)).toEqual([false, false, true]);
  });

  it('leaves a plan that can run as it is', () => {
    const plan = planOf('a', 'b', sum('all', ['a', 'b']));
    expect(normalisePlan(plan)).toEqual(plan);
  });

  it('mends nothing else', () => {
    const broken = planOf(specOf('a', { depends_on: ['b'] }), specOf('b', { depends_on: ['a'] }));
    expect(normalisePlan(broken)).toEqual(broken);
  });
});
