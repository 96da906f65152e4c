import { expect, test } from 'vitest';
import { judgeReplies } from './judge-replies.ts';

const good = '{"subtasks":[{"id":"a","description":"write a.md"}]}';
const cyclic = '{"subtasks":[{"id":"a","description":"x","depends_on":["a"]}]}';
const malformed = '{"subtasks":[{"id":"a"}]}';
const prose = 'I would rather talk about it.';

test('without an answer the planner is asked, with nothing to correct', () => {
  expect(judgeReplies([])).toEqual({ kind: 'ask', feedback: null });
});

test('a plan that holds ends the asking, whatever came before', () => {
  expect(judgeReplies([good])).toMatchObject({ kind: 'plan', plan: { subtasks: [{ id: 'a' }] } });
  expect(judgeReplies([prose, cyclic, prose, good])).toMatchObject({ kind: 'plan' });
});

test('a plan that cannot run is asked for again once, with what is wrong', () => {
  const first = judgeReplies([cyclic]);
  expect(first).toMatchObject({
    kind: 'ask',
    feedback: { errors: [{ subtask_id: 'a', code: 'cycle' }] },
  });
  const second = judgeReplies([cyclic, malformed]);
  expect(second).toMatchObject({ kind: 'invalid', errors: [{ code: 'malformed' }] });
});

test('an answer that cannot be read is asked for again twice', () => {
  expect(judgeReplies([prose])).toEqual({ kind: 'ask', feedback: { errors: null } });
  expect(judgeReplies([prose, ''])).toEqual({ kind: 'ask', feedback: { errors: null } });
  expect(judgeReplies([prose, '', prose])).toEqual({ kind: 'unreadable' });
});

test('unreadable and invalid answers are counted apart', () => {
  expect(judgeReplies([prose, cyclic, prose]).kind).toBe('ask');
  expect(judgeReplies([prose, prose, cyclic]).kind).toBe('ask');
  expect(judgeReplies([prose, prose, cyclic, cyclic]).kind).toBe('invalid');
});

test('whoever takes over decides the same: answers after the end change nothing', () => {
  expect(judgeReplies([good, prose, prose, prose]).kind).toBe('plan');
  expect(judgeReplies([cyclic, cyclic, good]).kind).toBe('invalid');
});
