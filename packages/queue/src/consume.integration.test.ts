import { testBackend } from '@loom/testing/backend';
import { startPrivateRedis } from '@loom/testing/private-redis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockMs, openQueueWorld, type QueueWorld } from './test-support/queue-world.ts';
import { stealLock } from './test-support/steal-lock.ts';

const handled = { kind: 'handled' } as const;

let world: QueueWorld;
beforeEach(async () => {
  world = await openQueueWorld();
});
afterEach(() => world.close());

/** A promise and the way to fulfil it. */
function signalled<T = void>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

/** Looks again and again until a job's state is this one. */
async function untilState(id: string, state: string): Promise<void> {
  while ((await (await world.queue.getJob(id))?.getState()) !== state) await Promise.resolve();
}

/** Works until its lock is lost, and says why; null when it never was within `ms`. */
function untilAborted(signal: AbortSignal, ms = 10_000): Promise<string | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(String(signal.reason));
    });
  });
}

describe('outcomes', () => {
  test('a handled job is completed, a dead one is shown as failed with its reason', async () => {
    const both = [signalled(), signalled()];
    world.consume(async ({ unit_id }) => {
      both[unit_id === 'good' ? 0 : 1]?.resolve();
      return unit_id === 'good' ? handled : { kind: 'dead', reason: 'started 3 times' };
    });
    world.ring('good');
    world.ring('bad');
    await Promise.all(both.map(({ promise }) => promise));
    await untilState('subtasks-good-0', 'completed');
    await untilState('subtasks-bad-0', 'failed');
    expect((await world.queue.getJob('subtasks-bad-0'))?.failedReason).toBe('started 3 times');
  });

  test('a job whose handler fails comes back by itself, though its id can not be rung again', async () => {
    const seen: string[] = [];
    const second = signalled();
    world.consume(async ({ unit_id, epoch }) => {
      seen.push(`${unit_id} ${epoch}`);
      if (seen.length === 1) throw new Error('the database is away');
      second.resolve();
      return handled;
    });
    world.ring('unit', 4);
    await untilState('subtasks-unit-4', 'delayed');
    await second.promise;
    await untilState('subtasks-unit-4', 'completed');
    expect(seen).toEqual(['unit 4', 'unit 4']);
  });

  test('a job that names no unit fails once and for all, and does not hold up the others', async () => {
    const good = signalled();
    const seen: string[] = [];
    world.consume(async ({ unit_id }) => {
      seen.push(unit_id);
      good.resolve();
      return handled;
    });
    await world.queue.add('subtasks', { nonsense: true } as never, { jobId: 'by-hand' });
    world.ring('good');
    await good.promise;
    await untilState('by-hand', 'failed');
    expect(seen).toEqual(['good']);
  });

  test('a unit rung twice in one epoch is one job, and another epoch another', async () => {
    world.ring('unit');
    world.ring('unit');
    world.ring('unit', 1);
    const seen: number[] = [];
    const last = signalled();
    world.consume(async ({ epoch }) => {
      seen.push(epoch);
      if (seen.length === 2) last.resolve();
      return handled;
    });
    await last.promise;
    await untilState('subtasks-unit-1', 'completed');
    expect(seen.toSorted()).toEqual([0, 1]);
  });
});

describe('locks', () => {
  test('a job longer than its lock is not aborted as long as the lock is renewed', async () => {
    const end = signalled<string | null>();
    world.consume(async (_payload, signal) => {
      end.resolve(await untilAborted(signal, 1.6 * lockMs));
      return handled;
    });
    world.ring('long');
    expect(await end.promise).toBeNull();
    await untilState('subtasks-long-0', 'completed');
  });

  test('a lost lock aborts the handler', async () => {
    const begun = signalled();
    const end = signalled<string | null>();
    world.consume(async (_payload, signal) => {
      begun.resolve();
      end.resolve(await untilAborted(signal));
      return handled;
    });
    world.ring('robbed');
    await begun.promise;
    await stealLock(world.database, world.queue, 'subtasks-robbed-0');
    expect(await end.promise).toContain('the lock was lost');
  });

  test('a queue server that does not answer at all aborts the handler, too', async () => {
    const frozen = await freezable();
    const begun = signalled();
    const end = signalled<string | null>();
    frozen.world.consume(async (_payload, signal) => {
      begun.resolve();
      end.resolve(await untilAborted(signal));
      return handled;
    });
    frozen.world.ring('frozen');
    await begun.promise;
    await frozen.freeze();
    expect(await end.promise).toContain('could not be renewed in time');
    await frozen.thaw();
    await frozen.close();
  });
});

test('a paused consumer takes nothing more, and closing waits for what is under way', async () => {
  const begun = signalled();
  const finish = signalled();
  const seen: string[] = [];
  const consumer = world.consume(async ({ unit_id }) => {
    seen.push(unit_id);
    begun.resolve();
    await finish.promise;
    return handled;
  }, 2);
  world.ring('first');
  await begun.promise;
  await consumer.pause();
  world.ring('second');
  await untilState('subtasks-second-0', 'prioritized');
  let closed = false;
  const closing = consumer.close().then(() => {
    closed = true;
  });
  await world.backend.ping();
  expect(closed).toBe(false);
  finish.resolve();
  await closing;
  expect(seen).toEqual(['first']);
  expect(await (await world.queue.getJob('subtasks-first-0'))?.getState()).toBe('completed');
});

/** Queues on a server that can be made to hang: a Redis of its own, or a table that is locked. */
async function freezable() {
  if (testBackend().kind === 'redis') {
    const redis = await startPrivateRedis();
    if (redis === null) throw new Error('this test needs redis-server');
    const own = await openQueueWorld(redis.url);
    return {
      world: own,
      freeze: async () => process.kill(redis.pid, 'SIGSTOP'),
      thaw: async () => process.kill(redis.pid, 'SIGCONT'),
      close: async () => {
        await own.close();
        await redis.stop();
      },
    };
  }
  const client = await world.database.database.pool.connect();
  return {
    world,
    freeze: async () => {
      await client.query('BEGIN');
      await client.query('LOCK TABLE bullmq.job IN ACCESS EXCLUSIVE MODE');
    },
    thaw: async () => {
      await client.query('ROLLBACK');
      client.release();
    },
    close: async () => undefined,
  };
}
