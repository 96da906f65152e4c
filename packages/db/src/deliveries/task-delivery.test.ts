import { expect, test } from 'vitest';
import { taskDelivery } from './task-delivery.ts';

const told = {
  id: 'task_1',
  session_id: 'ses_1',
  status: 'completed' as const,
  verification: 'verified' as const,
  goal: 'say hello',
  summary: 'said it',
  errors: [],
  files_changed: ['a.md'],
  metadata: { ticket: 7 },
};
const task = { ...told, tenant_id: 'acme', callback_url: 'https://example.com/hook' };
const now = new Date('2026-11-16T12:00:00Z');

test.each(['completed', 'failed', 'cancelled'] as const)('a %s task is told of', (status) => {
  expect(taskDelivery({ ...task, status }, now)).toEqual({
    id: expect.stringMatching(/^dlv_/),
    tenant_id: 'acme',
    task_id: 'task_1',
    session_id: 'ses_1',
    url: 'https://example.com/hook',
    event: `task.${status}`,
    payload: { ...told, status },
  });
});

test('a task that goes on, or that nobody asked about, is not', () => {
  expect(taskDelivery({ ...task, status: 'running' }, now)).toBeNull();
  expect(taskDelivery({ ...task, callback_url: null }, now)).toBeNull();
});
