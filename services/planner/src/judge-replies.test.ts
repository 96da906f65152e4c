import { expect, test } from 'vitest';
import { judgeReplies } from './judge-replies.ts';
import type { PlanRules } from './plan-rules.ts';

const good = '{"subtasks":[{"id":"a","description":"write a.md"}]}';
const cyclic = '{"subtasks":[{"id":"a","description":"x","depends_on":["a"]}]}';
const malformed = '{"subtasks":[{"id":"a"}]}';
const prose = 'I would rather talk about it.';
const free: PlanRules = { structural_retries: 1, normalise: false, existing: [] };

test('without an answer the planner is asked, with nothing to correct', () => {
  expect(judgeReplies([], free)).toEqual({ kind: 'ask', feedback: null });
});

test('a plan that holds ends the asking, whatever came before', () => {
  expect(judgeReplies([good], free)).toMatchObject({
    kind: 'plan',
    plan: { subtasks: [{ id: 'a' }] },
  });
  expect(judgeReplies([prose, cyclic, prose, good], free)).toMatchObject({ kind: 'plan' });
});

test('a plan that cannot run is asked for again once, with what is wrong', () => {
  const first = judgeReplies([cyclic], free);
  expect(first).toMatchObject({
    kind: 'ask',
    feedback: { errors: [{ subtask_id: 'a', code: 'cycle' }] },
  });
  const second = judgeReplies([cyclic, malformed], free);
  expect(second).toMatchObject({ kind: 'invalid', errors: [{ code: 'malformed' }] });
});

test('an answer that cannot be read is asked for again twice', () => {
  expect(judgeReplies([prose], free)).toEqual({ kind: 'ask', feedback: { errors: null } });
  expect(judgeReplies([prose, ''], free)).toEqual({ kind: 'ask', feedback: { errors: null } });
  expect(judgeReplies([prose, '', prose], free)).toEqual({ kind: 'unreadable' });
});

test('unreadable and invalid answers are counted apart', () => {
  expect(judgeReplies([prose, cyclic, prose], free).kind).toBe('ask');
  expect(judgeReplies([prose, prose, cyclic], free).kind).toBe('ask');
  expect(judgeReplies([prose, prose, cyclic, cyclic], free).kind).toBe('invalid');
});

test('whoever takes over decides the same: answers after the end change nothing', () => {
  expect(judgeReplies([good, prose, prose, prose], free).kind).toBe('plan');
  expect(judgeReplies([cyclic, cyclic, good], free).kind).toBe('invalid');
});

test('the rules say how often a plan that cannot run is asked for again', () => {
  const strict = { ...free, structural_retries: 2 };
  expect(judgeReplies([cyclic, cyclic], strict).kind).toBe('ask');
  expect(judgeReplies([cyclic, cyclic, cyclic], strict).kind).toBe('invalid');
});

const earlySynthesis = JSON.stringify({
  subtasks: [
    { id: 'a', description: 'join', is_synthesis: true },
    { id: 'b', description: 'use it', depends_on: ['a'] },
    { id: 'c', description: 'end', depends_on: ['b'], is_synthesis: true },
  ],
});

test('a synthesis that others need is set right only where the rules allow it', () => {
  expect(judgeReplies([earlySynthesis], { ...free, normalise: true })).toMatchObject({
    kind: 'plan',
    plan: { subtasks: [{ is_synthesis: false }, {}, { is_synthesis: true }] },
  });
  expect(judgeReplies([earlySynthesis], free)).toMatchObject({
    kind: 'ask',
    feedback: { errors: [{ subtask_id: 'b', code: 'depends_on_synthesis' }] },
  });
});

test('a new version that drops a subtask is asked for again with its id, then refused', () => {
  const rules: PlanRules = {
    ...free,
    existing: [
      { id: 'a', status: 'completed' },
      { id: 'gone', status: 'failed' },
    ],
  };
  const errors = [{ subtask_id: 'gone', code: 'dropped' }];
  expect(judgeReplies([good], rules)).toMatchObject({ kind: 'ask', feedback: { errors } });
  expect(judgeReplies([good, good], rules)).toMatchObject({ kind: 'invalid', errors });
  const whole = '{"subtasks":[{"id":"gone","description":"y"},{"id":"a","description":"x"}]}';
  expect(judgeReplies([good, whole], rules).kind).toBe('plan');
});
