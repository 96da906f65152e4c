import { expect, test } from 'vitest';
import { jobId } from './job-id.ts';

test('names queue, unit and epoch, and nothing the queue library would refuse', () => {
  const id = jobId({ queue: 'subtasks', unit_id: 'task_01.write-a.1', epoch: 3 });
  expect(id).toBe('subtasks-task_01.write-a.1-3');
  expect(id).not.toContain(':');
});

test('another epoch is another job', () => {
  const ring = { queue: 'turns', unit_id: 'turn_01', epoch: 0 } as const;
  expect(jobId(ring)).not.toBe(jobId({ ...ring, epoch: 1 }));
});
