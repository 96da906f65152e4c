import { expect, it } from 'vitest';
import { anApproval } from '../testing/builders.ts';
import { createOpenQuestions } from './open-questions.ts';

const requested = (id: string, more: Record<string, unknown> = {}) => ({
  type: 'approval.requested',
  data: { approval_id: id, kind: 'tool', tool: 'send', arguments: {}, reason: 'why' },
  ...more,
});

it('numbers questions as they come, and never gives a number twice', () => {
  const questions = createOpenQuestions();
  expect(questions.hear(requested('apr_1'))?.number).toBe(1);
  expect(questions.add(anApproval({ id: 'apr_2' })).number).toBe(2);
  expect(questions.hear(requested('apr_2'))?.number).toBe(2);
  questions.hear({ type: 'approval.decided', data: { approval_id: 'apr_2' } });
  expect(questions.hear(requested('apr_3'))?.number).toBe(3);
  expect(questions.list().map(({ approval_id }) => approval_id)).toEqual(['apr_1', 'apr_3']);
  expect(questions.find('3')?.approval_id).toBe('apr_3');
  expect(questions.find('apr_1')?.number).toBe(1);
  expect(questions.find('2')).toBeNull();
});

it('drops what an ended turn asked, and keeps what its task asks', () => {
  const questions = createOpenQuestions();
  questions.hear(requested('apr_1', { turn_id: 'turn_1' }));
  questions.hear(requested('apr_2', { turn_id: 'turn_1', task_id: 'task_1' }));
  questions.hear(requested('apr_3', { turn_id: 'turn_2' }));
  questions.hear({ type: 'turn.cancelled', turn_id: 'turn_1', data: {} });
  expect(questions.list().map(({ approval_id }) => approval_id)).toEqual(['apr_2', 'apr_3']);
  questions.hear({ type: 'approval.expired', data: { approval_id: 'apr_2' } });
  expect(questions.list()).toHaveLength(1);
});
