import { expect, test } from 'vitest';
import { sampleTodo } from './test-support/sample-todo.ts';
import { todoSection } from './todo-section.ts';

test('a turn without todos has no section', () => {
  expect(todoSection([])).toBeNull();
});

test('open ones stand in order with id, title and criteria; closed ones are only counted', () => {
  const section = todoSection([
    sampleTodo(1, { status: 'completed', title: 'read the notes' }),
    sampleTodo(2, { title: 'write\nthe report', completion_criteria: 'report.md exists' }),
    sampleTodo(3, { status: 'in_progress' }),
  ]);
  expect(section?.split('\n').slice(0, -1)).toEqual([
    'Todos of this turn: 1 pending, 1 in_progress, 1 completed. Still to be done:',
    '1. todo_00000000000000000000000002 write the report (done when: report.md exists)',
    '2. todo_00000000000000000000000003 step 3',
  ]);
});

test('when all are closed, it says so and asks for the answer', () => {
  const todos = [sampleTodo(1, { status: 'completed' }), sampleTodo(2, { status: 'cancelled' })];
  expect(todoSection(todos)).toBe(
    'All todos of this turn are closed: 1 completed, 1 cancelled. Answer the user.',
  );
});

test('fifty of the longest fit into 2,000 characters, the next one in full', () => {
  const criteria = 'c'.repeat(1_000);
  const todos = Array.from({ length: 50 }, (_, index) =>
    sampleTodo(index + 1, { title: 'é'.repeat(200), completion_criteria: criteria }),
  );
  const section = todoSection(todos) ?? '';
  expect(section.length).toBeLessThanOrEqual(2_000);
  const lines = section.split('\n');
  const shown = lines.filter((line) => /^\d+\. todo_/.test(line));
  expect(shown.length).toBeGreaterThan(5);
  expect(shown[0]).toContain(`${'é'.repeat(200)} (done when: ccc`);
  expect(lines.at(-2)).toBe(`(${50 - shown.length} more: see list_todo)`);
  expect(lines.at(-1)).toMatch(/^Do them in this order/);
});

test.each([1, 5, 10, 11, 12, 20, 40, 50])('%i todos of any length stay in bounds', (count) => {
  for (const length of [1, 40, 79, 80, 81, 120, 160, 200]) {
    const todos = Array.from({ length: count }, (_, index) =>
      sampleTodo(index + 1, { title: 't'.repeat(length) }),
    );
    const section = todoSection(todos) ?? '';
    expect(section.length).toBeLessThanOrEqual(2_000);
    const shown = section.match(/^\d+\. /gm)?.length ?? 0;
    const left = /^\((\d+) more/m.exec(section)?.[1];
    expect(shown + Number(left ?? 0)).toBe(count);
  }
});
