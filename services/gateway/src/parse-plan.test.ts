import { AppError } from '@loom/shared/app-error';
import { expect, it } from 'vitest';
import { parsePhases, parsePlan } from './parse-plan.ts';

function refusalOf(plan: unknown, parse: (input: unknown) => unknown = parsePlan): AppError {
  try {
    parse(plan);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('the plan was taken');
}

it('fills in what a plan leaves out', () => {
  expect(parsePlan(undefined)).toBeNull();
  expect(parsePlan({ subtasks: [{ id: 'a', description: 'x' }] })?.subtasks[0]).toMatchObject({
    depends_on: [],
    max_retries: 3,
  });
});

it('names the subtask of a malformed part, by place when it has no name', () => {
  const { code, details } = refusalOf({
    subtasks: [{ id: 'a', description: 'x', model_tier: 9 }, { description: 'y' }, 7],
  });
  expect(code).toBe('invalid_plan');
  expect(details.errors).toMatchObject([
    { subtask_id: 'a', code: 'malformed', message: expect.stringMatching(/^model_tier: /) },
    { subtask_id: '#1', code: 'malformed' },
    { subtask_id: '#2', code: 'malformed' },
  ]);
});

it('names the subtasks of a broken graph', () => {
  const plan = { subtasks: [{ id: 'a', description: 'x', depends_on: ['b'] }] };
  expect(refusalOf(plan).details.errors).toMatchObject([
    { path: 'plan.subtasks.a', subtask_id: 'a', code: 'unknown_dependency' },
  ]);
});

it('checks phases as a plan, by their own name', () => {
  expect(parsePhases(undefined)).toEqual([]);
  expect(parsePhases([])).toEqual([]);
  expect(parsePhases([{ id: 'a', description: 'x' }])).toMatchObject([{ id: 'a', risk: 'low' }]);
  const lost = [{ id: 'a', description: 'x', depends_on: ['b'] }];
  expect(refusalOf(lost, parsePhases).details.errors).toMatchObject([
    { path: 'phases.a', subtask_id: 'a', code: 'unknown_dependency' },
  ]);
  for (const broken of ['', 7, {}, [null], { subtasks: [] }]) {
    expect(refusalOf(broken, parsePhases).code).toBe('invalid_plan');
  }
});
