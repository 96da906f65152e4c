import { describe, expect, it } from 'vitest';
import { diffPlans, isSameSpec } from './plan-diff.ts';
import { specOf } from './test-support/task-fixtures.ts';

describe('diffPlans', () => {
  it('names what a new plan adds, changes and keeps, in its order', () => {
    const before = [specOf('a'), specOf('b'), specOf('c')];
    const after = [specOf('new'), specOf('c'), specOf('b', { max_retries: 1 }), specOf('a')];
    expect(diffPlans(before, after)).toEqual({ added: ['new'], changed: ['b'], kept: ['c', 'a'] });
  });

  it('finds everything added in a first plan', () => {
    expect(diffPlans([], [specOf('a')])).toEqual({ added: ['a'], changed: [], kept: [] });
  });
});

describe('isSameSpec', () => {
  it('does not mind the order of fields, as they come back from the database in another one', () => {
    const spec = specOf('a', { tools: ['read_file'], deliverables: ['a.md'] });
    const turned = Object.fromEntries(Object.entries(spec).reverse()) as typeof spec;
    expect(isSameSpec(spec, turned)).toBe(true);
  });

  it.each([
    ['description', { description: 'do it otherwise' }],
    ['dependencies', { depends_on: ['b'] }],
    ['deliverables', { deliverables: ['b.md'] }],
    ['model tier', { model_tier: 2 }],
    ['tools', { tools: ['read_file'] }],
  ])('sees another %s', (_, fields) => {
    expect(isSameSpec(specOf('a'), specOf('a', fields))).toBe(false);
  });
});
