import type { Ring } from '@loom/shared/queues';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createQueueAdmin } from './create-queue-admin.ts';
import { openQueueWorld, type QueueWorld } from './test-support/queue-world.ts';

let world: QueueWorld;
beforeEach(async () => {
  world = await openQueueWorld();
});
afterEach(() => world.close());

function ringsOf(tenant_id: string, count: number, from = 1): Ring[] {
  return Array.from({ length: count }, (_, index) => {
    return { queue: 'subtasks', tenant_id, unit_id: `${tenant_id}.${from + index}`, epoch: 0 };
  });
}

/** Looks again and again until so many jobs wait. */
async function untilWaiting(count: number): Promise<void> {
  while (((await world.queue.getJobCounts('prioritized')).prioritized ?? 0) < count) {
    await Promise.resolve();
  }
}

/** Serves so many jobs one by one and says which. */
async function serve(count: number): Promise<string[]> {
  const served: string[] = [];
  await new Promise<void>((resolve) => {
    const consumer = world.consume(async ({ unit_id }) => {
      served.push(unit_id);
      if (served.length === count) {
        await consumer.pause();
        resolve();
      }
      return { kind: 'handled' };
    });
  });
  return served;
}

test('tenants take turns, in the order in which each has rung', async () => {
  world.ringer.ring([...ringsOf('a', 30), ...ringsOf('b', 3), ...ringsOf('c', 3)]);
  await untilWaiting(36);
  const served = await serve(12);
  expect(served).toEqual([
    ...['a.1', 'b.1', 'c.1', 'a.2', 'b.2', 'c.2', 'a.3', 'b.3', 'c.3'],
    ...['a.4', 'a.5', 'a.6'],
  ]);
});

test('a thousand jobs of one tenant do not hold up another, whichever process rings', async () => {
  world.ringer.ring(ringsOf('many', 1_000));
  await untilWaiting(1_000);
  const other = await world.openRinger();
  other.ring(ringsOf('single', 1));
  await untilWaiting(1_001);
  expect(await serve(2)).toEqual(['many.1', 'single.1']);
  // Long after, someone who just came does not wait for what they have been given since.
  expect(await serve(20)).toHaveLength(20);
  const third = await world.openRinger();
  third.ring(ringsOf('late', 1));
  await untilWaiting(1_001 - 22 + 1);
  expect(await serve(2)).toContain('late.1');
});

test('ringing again, from wherever, neither adds a job nor moves one', async () => {
  world.ringer.ring([...ringsOf('a', 20), ...ringsOf('b', 60)]);
  await untilWaiting(80);
  const line = await world.backend.readLine('subtasks');
  expect(line).toEqual({ first: 1, last: 60, count: 80 });
  const other = await world.openRinger();
  for (let again = 0; again < 4; again++) {
    world.ringer.ring(ringsOf('a', 20));
    other.ring(ringsOf('a', 20));
  }
  world.ringer.ring(ringsOf('a', 1, 21));
  other.ring(ringsOf('a', 1, 22));
  await untilWaiting(82);
  for (const unit of ['a.21', 'a.22']) {
    expect((await world.queue.getJob(`subtasks-${unit}-0`))?.priority).toBe(21);
  }
});

test('the line is what the queue library sees, and null when nothing waits', async () => {
  expect(await world.backend.readLine('subtasks')).toBeNull();
  const other = { tenant_id: 'other', unit_id: 'other.1', epoch: 0 };
  world.ringer.ring([...ringsOf('a', 7), { queue: 'turns', ...other }]);
  await untilWaiting(7);
  const [first] = await world.queue.getJobs(['prioritized'], 0, 0, true);
  const [last] = await world.queue.getJobs(['prioritized'], 6, 6, true);
  expect([first?.id, last?.id]).toEqual(['subtasks-a.1-0', 'subtasks-a.7-0']);
  expect(await world.backend.readLine('subtasks')).toEqual({
    first: first?.priority,
    last: last?.priority,
    count: 7,
  });
});

test('an operator sees what waits, pauses it and lets it go on', async () => {
  const admin = createQueueAdmin(world.ringer);
  const subtasks = async () => (await admin.queues()).find(({ name }) => name === 'subtasks');
  await admin.pause('subtasks');
  world.ringer.ring(ringsOf('a', 3));
  await untilWaiting(3);
  expect(await subtasks()).toMatchObject({
    paused: true,
    counts: { waiting: 0, prioritized: 3, active: 0 },
  });
  const jobs = await admin.jobs('subtasks', 'prioritized', 1, 2);
  expect(jobs.map(({ unit_id }) => unit_id)).toEqual(['a.2', 'a.3']);
  expect(await admin.job('subtasks', 'subtasks-a.2-0')).toMatchObject({ state: 'prioritized' });
  await admin.removeJob('subtasks', 'subtasks-a.2-0');
  await admin.resume('subtasks');
  expect(await serve(2)).toEqual(['a.1', 'a.3']);
  expect((await subtasks())?.counts.prioritized).toBe(0);
});
