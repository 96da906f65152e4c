import { expect, test } from 'vitest';
import { describeTodos } from './describe-todos.ts';
import { sampleTodo } from './test-support/sample-todo.ts';

const todos = [
  sampleTodo(1, { status: 'completed', outcome: 'It was short.' }),
  sampleTodo(2, { context: 'for\nall', completion_criteria: 'it runs', agent_type: 'coder' }),
  sampleTodo(3, { status: 'in_progress' }),
];
const titles = (text: string) => text.match(/step \d/g);

test('the counts are of all, the list of what was asked for', () => {
  expect(describeTodos(todos, undefined)).toBe(
    [
      '3 in all: 1 pending, 1 in_progress, 1 completed.',
      `- ${todos[1]?.id} step 2 [pending]`,
      '  Context: for',
      '  all',
      '  Done when: it runs',
      '  For: coder',
      `- ${todos[2]?.id} step 3 [in_progress]`,
    ].join('\n'),
  );
  expect(titles(describeTodos(todos, 'all'))).toEqual(['step 1', 'step 2', 'step 3']);
  expect(titles(describeTodos(todos, 'in_progress'))).toEqual(['step 3']);
  expect(describeTodos(todos, 'completed')).toContain('  Outcome: It was short.');
});

test('a list of nothing says why', () => {
  expect(describeTodos([], undefined)).toContain('no todos');
  expect(describeTodos(todos, 'cancelled')).toMatch(/1 completed\. None is cancelled\.$/);
});
