import { expect, test } from 'vitest';
import { sampleTodo } from './test-support/sample-todo.ts';
import { unfinishedLine } from './unfinished-line.ts';

const todos = [
  sampleTodo(1, { title: 'Read the notes', status: 'completed' }),
  sampleTodo(2, { title: 'Update `README.md`.' }),
  sampleTodo(3, { title: 'Run the test', status: 'in_progress' }),
  sampleTodo(4, { title: 'Ask a colleague', status: 'cancelled' }),
];

test('an answer that is silent about open todos gets a line that names them', () => {
  expect(unfinishedLine(todos, 'All is well.')).toBe(
    'Not finished: Update `README.md`; Run the test.',
  );
  expect(unfinishedLine(todos, '')).toContain('Run the test');
});

test('those that the answer names are not named again, however they are spelt', () => {
  const readme = 'I did not *update  "readme.md"* yet.';
  expect(unfinishedLine(todos, readme)).toBe('Not finished: Run the test.');
  expect(unfinishedLine(todos, `${readme}\nStill to do: RUN THE\nTEST!`)).toBeNull();
  expect(unfinishedLine(todos, `${readme} Left: ${todos[2]?.id}.`)).toBeNull();
});

test('a title inside longer words is no mention', () => {
  const named = 'Update README.md is left.';
  expect(unfinishedLine(todos, `${named} I will run the tests.`)).toContain('Run the test');
  expect(unfinishedLine(todos, `${named} Prerun the test first.`)).toContain('Run the test');
  expect(unfinishedLine(todos, `${named} Prerun the test, then run the test.`)).toBeNull();
});

test('nothing is said where nothing is open', () => {
  expect(unfinishedLine([], 'Done.')).toBeNull();
  const closed = todos.map((todo) => ({ ...todo, status: 'completed' as const }));
  expect(unfinishedLine(closed, 'Done.')).toBeNull();
});

test('many are counted, and a title of nothing but marks is never taken for named', () => {
  const many = Array.from({ length: 13 }, (_, index) => sampleTodo(index + 1));
  expect(unfinishedLine(many, 'Done.')).toMatch(/^Not finished: step 1; .*step 10; and 3 more\.$/);
  expect(unfinishedLine([sampleTodo(1, { title: '***' })], 'Done.')).toBe('Not finished: ***.');
});
