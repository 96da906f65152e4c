import { createLogger } from '@loom/shared/logger';
import type { Ring } from '@loom/shared/queues';
import { expect, test } from 'vitest';
import { createRingLane, mostPending, type RingJob } from './ring-lane.ts';

const logger = createLogger({ level: 'silent', name: 'test' });
const ring = (unit: number): Ring => {
  return { queue: 'subtasks', tenant_id: 'default', unit_id: `unit-${unit}`, epoch: 0 };
};
const rings = (count: number) => Array.from({ length: count }, (_, unit) => ring(unit));

/** A lane whose queue answers when it is told to. */
function openLane() {
  const sent: RingJob[][] = [];
  let answer: (error?: Error) => void = () => undefined;
  const lane = createRingLane({
    name: 'subtasks',
    logger,
    readLine: async () => null,
    addJobs: (jobs) => {
      sent.push(jobs);
      return new Promise<void>((resolve, reject) => {
        answer = (error) => (error === undefined ? resolve() : reject(error));
      });
    },
  });
  const untilSent = async (count: number) => {
    while (sent.length < count) await Promise.resolve();
  };
  return { lane, sent, untilSent, answer: (error?: Error) => answer(error) };
}

test('the first leaves at once; what comes meanwhile leaves together, but not too much', async () => {
  const { lane, sent, untilSent, answer } = openLane();
  lane.add([ring(1)]);
  await untilSent(1);
  for (const next of rings(600)) lane.add([next]);
  answer();
  await untilSent(2);
  answer();
  await untilSent(3);
  answer();
  await lane.idle();
  expect(sent.map((jobs) => jobs.length)).toEqual([1, 500, 100]);
  expect(sent[0]).toEqual([
    {
      name: 'subtasks',
      data: { unit_id: 'unit-1', epoch: 0 },
      opts: { jobId: 'subtasks-unit-1-0', priority: 1 },
    },
  ]);
});

test('what could not be sent is left to the sweeper, and what follows is sent', async () => {
  const { lane, sent, untilSent, answer } = openLane();
  lane.add([ring(1)]);
  await untilSent(1);
  lane.add([ring(2)]);
  answer(new Error('the queue is away'));
  await untilSent(2);
  answer();
  await lane.idle();
  expect(sent.map(([job]) => job?.data.unit_id)).toEqual(['unit-1', 'unit-2']);
});

test('while nothing answers only so much is held back', async () => {
  const { lane, sent, untilSent, answer } = openLane();
  lane.add([ring(1)]);
  await untilSent(1);
  lane.add(rings(mostPending - 1));
  lane.add(rings(7));
  for (let count = 1; count <= 1 + mostPending / 500; count++) {
    await untilSent(count);
    answer();
  }
  await lane.idle();
  expect(sent.flat()).toHaveLength(1 + mostPending);
});
