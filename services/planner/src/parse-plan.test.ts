import { expect, test } from 'vitest';
import { parsePlan } from './parse-plan.ts';

test('a plan is read from between prose, with its defaults filled in', () => {
  const text = 'Sure:\n```json\n{"subtasks":[{"id":"a","description":"write a.md"}]}\n```';
  const parsed = parsePlan(text);
  expect(parsed?.kind).toBe('plan');
  expect(parsed).toHaveProperty('plan.subtasks.0', {
    id: 'a',
    description: 'write a.md',
    depends_on: [],
    model_tier: 1,
    verification_tier: 1,
    is_critical_path: false,
    is_synthesis: false,
    max_retries: 3,
    acceptance_criteria: [],
    deliverables: [],
    checks: [],
    risk: 'low',
  });
});

test.each(['', 'I cannot do that.', '{"steps":[]}', '{"subtasks":'])(
  'there is no plan in %j',
  (text) => {
    expect(parsePlan(text)).toBeNull();
  },
);

test('what cannot be stored is replaced', () => {
  const parsed = parsePlan('{"subtasks":[{"id":"a","description":"nul \\u0000 half \\ud83d"}]}');
  expect(parsed).toHaveProperty('plan.subtasks.0.description', 'nul \uFFFD half \uFFFD');
});

test('every malformed field is named with its subtask', () => {
  const text = JSON.stringify({
    subtasks: [
      { id: 'a b', description: 'x' },
      { id: 'b', description: '', max_retries: 99 },
    ],
  });
  const parsed = parsePlan(text);
  if (parsed?.kind !== 'malformed') throw new Error('expected a malformed plan');
  expect(parsed.errors.map(({ subtask_id, code }) => `${subtask_id} ${code}`)).toEqual([
    'subtask 1 malformed',
    'subtask 2 malformed',
    'subtask 2 malformed',
  ]);
  expect(parsed.errors.map(({ message }) => message.split(':')[0])).toEqual([
    'id',
    'description',
    'max_retries',
  ]);
});

test('a plan of nothing is malformed as a whole', () => {
  const parsed = parsePlan('{"subtasks":[]}');
  expect(parsed).toMatchObject({ kind: 'malformed', errors: [{ subtask_id: 'plan' }] });
});
