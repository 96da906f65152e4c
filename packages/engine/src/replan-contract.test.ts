import { expect, it } from 'vitest';
import { replanErrors } from './replan-contract.ts';
import { planOf, subtaskOf } from './test-support/task-fixtures.ts';

const current = [
  subtaskOf('done', { status: 'completed' }),
  subtaskOf('broken', { status: 'failed' }),
  subtaskOf('open'),
];

it('a new plan that keeps every id has nothing against it', () => {
  expect(replanErrors(current, planOf('new', 'open', 'broken', 'done'))).toEqual([]);
});

it('every subtask that a new plan forgets is named, finished or not', () => {
  expect(replanErrors(current, planOf('open', 'new'))).toEqual([
    expect.objectContaining({ subtask_id: 'done', code: 'dropped' }),
    expect.objectContaining({ subtask_id: 'broken', code: 'dropped' }),
  ]);
});
