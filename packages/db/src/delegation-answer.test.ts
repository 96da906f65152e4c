import type { TaskState } from '@loom/shared/task-state';
import { expect, test } from 'vitest';
import { delegationAnswer } from './delegation-answer.ts';

const ended = (fields: object): TaskState =>
  ({
    status: 'failed',
    summary: 'Report.',
    errors: [],
    subtasks: [],
    ...fields,
  }) as object as TaskState;

const failed = (id: string, fields: object = {}) => ({
  id,
  status: 'failed',
  attempts: 1,
  error: { code: 'verification_failed', message: 'm' },
  feedback: null,
  ...fields,
});

test('of a completed task there is only its report', () => {
  expect(delegationAnswer('task_1', ended({ status: 'completed' }))).toBe('Report.');
});

test('a failure says what was tried, by which codes it failed and how to go on', () => {
  const text = delegationAnswer(
    'task_1',
    ended({
      errors: [
        { code: 'verification_failed', message: 'one' },
        { code: 'budget_exhausted', message: 'two' },
        { code: 'verification_failed', message: 'three' },
      ],
      subtasks: [
        failed('done', { status: 'completed', error: null }),
        failed('never', { status: 'skipped', attempts: 0 }),
        failed('build', { attempts: 4, feedback: 'a.json does not parse\nat line 3' }),
        failed('test', { error: null }),
      ],
    }),
  );
  expect(text).toContain(
    [
      'Report.',
      '',
      'What was tried:',
      '  - build: tried 4 times (verification_failed); the last check said: a.json does not parse',
      '  - test: tried once',
      '',
      'Failure codes: verification_failed, budget_exhausted',
      '',
      'To go on: delegate what failed again',
    ].join('\n'),
  );
  expect(text).toContain('retry task task_1');
});

test('what was stopped on purpose is not to be started again unasked', () => {
  const text = delegationAnswer('task_1', ended({ status: 'cancelled', summary: null }));
  expect(text).toMatch(/^Task cancelled\.\n\nTo go on: it was stopped on purpose/);
});

test('of many failed subtasks twenty are shown', () => {
  const subtasks = Array.from({ length: 23 }, (_, index) => failed(`s${index}`));
  const text = delegationAnswer('task_1', ended({ subtasks }));
  expect(text.match(/tried once/g)).toHaveLength(20);
  expect(text).toContain('  - and 3 more');
});
