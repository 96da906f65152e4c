import { expect, it } from 'vitest';
import { createTaskCounts } from './task-counts.ts';

const plan = (...ids: string[]) => ({
  type: 'task.plan_ready',
  task_id: 't',
  data: { subtasks: ids.map((id) => ({ id })) },
});
const subtask = (type: string, subtask_id: string) => ({
  type,
  task_id: 't',
  subtask_id,
  data: {},
});

it('counts what has ended, and keeps it when the plan grows', () => {
  const counts = createTaskCounts();
  counts.hear(subtask('subtask.completed', 'a'));
  expect(counts.of('t')).toBeNull();
  counts.hear(plan('a', 'b'));
  counts.hear(subtask('subtask.completed', 'a'));
  counts.hear(subtask('subtask.failed', 'b'));
  expect(counts.of('t')).toEqual({ ended: 2, all: 2 });
  counts.hear(subtask('subtask.started', 'b'));
  counts.hear(plan('a', 'b', 'c'));
  expect(counts.of('t')).toEqual({ ended: 1, all: 3 });
});
