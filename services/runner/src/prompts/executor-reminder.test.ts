import type { ChatMessage } from '@loom/shared/chat';
import { planSubtaskSchema } from '@loom/shared/plan';
import { expect, test } from 'vitest';
import { attemptBrief } from '../test-support/attempt-brief.ts';
import { executorReminder } from './executor-reminder.ts';

const calls = (name: string, args: Record<string, string>): ChatMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id: '1', name, arguments: args }],
});

const spec = planSubtaskSchema.parse({
  id: 'write-a',
  description: 'Write a.md about A',
  deliverables: ['a.md', './b.md', 'out/'],
});
const brief = attemptBrief({ spec });
const said = (journal: ChatMessage[], overrides = {}) =>
  executorReminder({ ...brief, ...overrides }, journal, 'off')[0]?.content ?? '';

test('the reminder names the goal, the subtask and what remains', () => {
  expect(
    executorReminder(brief, [calls('write_file', { path: 'a.md' })], 'off'),
  ).toMatchInlineSnapshot(`
    [
      {
        "content": "Goal of the task: Compare A and B
    Your subtask: write-a — Write a.md about A
    No file tool has written yet: ./b.md, out/
    Go on with what remains of this subtask, and only of this one. When nothing remains, answer in plain text with a summary.",
        "role": "system",
      },
    ]
  `);
});

test('before the first call there is nothing to be reminded of', () => {
  expect(executorReminder(brief, [], 'off')).toEqual([]);
  expect(executorReminder(brief, [{ role: 'user', content: 'GUIDANCE' }], 'off')).toEqual([]);
});

test('what was written, by whatever spelling, does not remain', () => {
  const journal = [
    calls('edit_file', { path: '/w/a.md' }),
    calls('move_file', { source: 'x.md', destination: 'b.md' }),
    calls('write_file', { path: 'out/data.csv' }),
  ];
  expect(said(journal)).not.toContain('No file tool');
  expect(said(journal.slice(0, 1), { files_changed_before: ['b.md'] })).toContain(
    'No file tool has written yet: out/',
  );
  expect(said([calls('read_file', { path: 'a.md' })])).toContain('written yet: a.md, ./b.md, out/');
});

test('where a completion block is asked for, the reminder says so', () => {
  const [message] = executorReminder(brief, [calls('look', {})], 'warn');
  expect(message?.content).toContain('answer with the completion block');
});
