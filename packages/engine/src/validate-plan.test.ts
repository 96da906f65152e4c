import { describe, expect, it } from 'vitest';
import { planOf, specOf } from './test-support/task-fixtures.ts';
import { validatePlan } from './validate-plan.ts';

const problems = (...subtasks: Parameters<typeof planOf>) =>
  validatePlan(planOf(...subtasks)).map(({ subtask_id, code }) => `${subtask_id} ${code}`);

describe('validatePlan', () => {
  it('accepts a diamond with a synthesis at its end', () => {
    expect(
      problems(
        'a',
        specOf('b', { depends_on: ['a'] }),
        specOf('c', { depends_on: ['a', 'a'] }),
        specOf('d', { depends_on: ['b', 'c'], is_synthesis: true }),
      ),
    ).toEqual([]);
  });

  it('names a duplicate id once for each repetition', () => {
    expect(problems('a', 'b', 'a', 'a')).toEqual(['a duplicate_id', 'a duplicate_id']);
  });

  it('names a dependency that is not in the plan', () => {
    const [error, ...rest] = validatePlan(planOf('a', specOf('b', { depends_on: ['ghost'] })));
    expect(rest).toEqual([]);
    expect(error).toMatchObject({ subtask_id: 'b', code: 'unknown_dependency' });
    expect(error?.message).toContain('"ghost"');
  });

  it('finds a subtask that waits for itself', () => {
    expect(problems('a', specOf('b', { depends_on: ['b'] }))).toEqual(['b cycle']);
  });

  it('finds a long cycle and what lies behind it, and leaves the rest alone', () => {
    expect(
      problems(
        specOf('a', { depends_on: ['c'] }),
        specOf('b', { depends_on: ['a'] }),
        specOf('c', { depends_on: ['b'] }),
        specOf('behind', { depends_on: ['a', 'free'] }),
        'free',
      ),
    ).toEqual(['a cycle', 'b cycle', 'c cycle', 'behind cycle']);
  });

  it('refuses work that depends on a synthesis', () => {
    expect(
      problems(specOf('s', { is_synthesis: true }), specOf('a', { depends_on: ['s'] })),
    ).toEqual(['a depends_on_synthesis']);
  });

  it('refuses a synthesis on which another synthesis depends', () => {
    expect(
      problems(
        specOf('s', { is_synthesis: true }),
        specOf('t', { is_synthesis: true, depends_on: ['s'] }),
      ),
    ).toEqual(['s synthesis_has_dependents']);
  });

  it('reports everything at once', () => {
    expect(
      problems(
        'a',
        'a',
        specOf('b', { depends_on: ['ghost'] }),
        specOf('c', { depends_on: ['c'] }),
      ),
    ).toEqual(['a duplicate_id', 'b unknown_dependency', 'c cycle']);
  });
});
