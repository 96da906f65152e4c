import { emptyCourse, emptyTrail } from '@loom/shared/task-course';
import type { TaskState } from '@loom/shared/task-state';
import { describe, expect, it } from 'vitest';
import { isDue, nextInstant } from './task-status.ts';
import { freshTask, subtaskOf } from './test-support/task-fixtures.ts';

const now = 1_000_000;
const waits = { trail: { ...emptyTrail, not_before: now + 2_000 } };
const task = (fields: Partial<TaskState>) =>
  freshTask({ status: 'running', plan_version: 1, ...fields });
const course = {
  ...emptyCourse,
  deadline: now + 5_000,
  approvals: [
    {
      id: 'apr_1-1',
      kind: 'tool' as const,
      subtask_id: 'a',
      attempt: 1,
      tool: 'shell_execute',
      expires_at: now + 60_000,
      on_timeout: 'deny' as const,
      about: 'deletes a folder',
    },
  ],
};

describe('the next instant of a task', () => {
  it('is the first of all at which time alone changes something', () => {
    const state = task({ course, subtasks: [subtaskOf('b', waits)] });
    expect(nextInstant(state, now)).toBe(now + 2_000);
    expect(nextInstant(state, now + 2_000)).toBe(now + 5_000);
    expect(nextInstant(state, now + 5_000)).toBe(now + 60_000);
    expect(nextInstant(state, now + 60_000)).toBeNull();
    expect(isDue(state, now + 1_999)).toBe(false);
    expect(isDue(state, now + 2_000)).toBe(true);
    expect(isDue(state, now + 99_000)).toBe(true);
  });

  it.each(['completed', 'failed', 'cancelled'] as const)(
    'is none once the task is %s, whatever was still to come',
    (status) => {
      const state = task({ course, status, subtasks: [subtaskOf('b', waits)] });
      expect(nextInstant(state, now)).toBeNull();
      expect(isDue(state, now + 99_000)).toBe(false);
    },
  );

  it('is none for a task that waits for its work alone', () => {
    const state = task({ subtasks: [subtaskOf('b', { ...waits, status: 'running' })] });
    expect(nextInstant(state, now)).toBeNull();
    expect(isDue(state, now + 99_000)).toBe(false);
  });
});
