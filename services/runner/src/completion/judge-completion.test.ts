import type { ChatMessage } from '@loom/shared/chat';
import { expect, test } from 'vitest';
import { judgeCompletion, maxCorrections } from './judge-completion.ts';

const block = (value: object) => `\`\`\`completion\n${JSON.stringify(value)}\n\`\`\``;

test('off: the text is the end, whatever it holds', () => {
  const text = block({ status: 'blocked', summary: 'no key' });
  expect(judgeCompletion(text, 'off', [])).toEqual({
    kind: 'end',
    summary: text,
    discoveries: [],
    warning: null,
  });
});

test('warn: a missing block is noted, and the attempt ends', () => {
  expect(judgeCompletion('done', 'warn', [])).toMatchObject({
    kind: 'end',
    summary: 'done',
    warning: expect.stringContaining('no fenced block'),
  });
});

test('enforce: a missing block is asked for, as often as there are corrections', () => {
  const journal: ChatMessage[] = [];
  for (let time = 0; time < maxCorrections; time++) {
    const judged = judgeCompletion('done', 'enforce', journal);
    if (judged.kind !== 'correct') throw new Error(judged.kind);
    expect(judged.message).toMatchObject({
      role: 'user',
      content: expect.stringContaining('no fenced block'),
    });
    journal.push({ role: 'assistant', content: 'done' }, judged.message);
  }
  expect(judgeCompletion('done', 'enforce', journal)).toMatchObject({
    kind: 'fail',
    failure: { code: 'completion_missing', message: expect.stringContaining('no fenced block') },
  });
  const ended = block({ status: 'done', summary: 'at last' });
  expect(judgeCompletion(ended, 'enforce', journal)).toMatchObject({ kind: 'end' });
});

test.each(['warn', 'enforce'] as const)('%s: what is not done is a failure', (mode) => {
  const partial = block({ status: 'partial', summary: 'b.md is missing' });
  expect(judgeCompletion(partial, mode, [])).toMatchObject({
    kind: 'fail',
    failure: { code: 'completion_partial', message: 'b.md is missing' },
  });
  const blocked = block({ status: 'blocked', summary: 'there is no key' });
  expect(judgeCompletion(blocked, mode, [])).toMatchObject({
    kind: 'fail',
    failure: { code: 'completion_blocked', message: 'there is no key' },
  });
});

test('what is done is summed up by the block and the text around it', () => {
  const text = `I looked.\n${block({ status: 'done', summary: 'a.md is written', discoveries: ['x'] })}`;
  expect(judgeCompletion(text, 'enforce', [])).toEqual({
    kind: 'end',
    summary: 'a.md is written\n\nI looked.',
    discoveries: ['x'],
    warning: null,
  });
});
