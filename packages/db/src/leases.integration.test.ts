import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { releaseUnit, renewLeases, sweepUnits } from './leases.ts';

let world: TestDatabase;
beforeAll(async () => {
  world = await createTestDatabase();
});
beforeEach(() => world.rows('DELETE FROM units'));

interface Stored {
  status: string;
  epoch?: number;
  starts?: number;
  lease?: string | null;
  rung?: string;
  queue?: string;
}

async function store(id: string, unit: Stored): Promise<void> {
  await world.rows(
    `INSERT INTO units (id, tenant_id, queue, status, epoch, starts, owner, lease_until, rung_at)
      VALUES ($1, 'default', $2, $3, $4, $5, 'wrk', now() + $6::interval, now() + $7::interval)`,
    [
      id,
      unit.queue ?? 'subtasks',
      unit.status,
      unit.epoch ?? 1,
      unit.starts ?? 1,
      unit.lease ?? null,
      unit.rung ?? '0 s',
    ],
  );
}

const read = async (id: string) =>
  (
    await world.rows<{
      status: string;
      starts: number;
      last_error: string | null;
      lease: number | null;
    }>(
      `SELECT status, starts, last_error, round(extract(epoch FROM lease_until - now()))::int AS lease
        FROM units WHERE id = $1`,
      [id],
    )
  )[0];

test('renewing keeps what is ours and says what is not', async () => {
  await store('mine', { status: 'claimed', lease: '1 s' });
  await store('newer', { status: 'claimed', epoch: 2, lease: '1 s' });
  await store('swept', { status: 'waiting' });
  const fences = ['mine', 'newer', 'swept', 'gone'].map((unit_id) => ({ unit_id, epoch: 1 }));
  expect(await renewLeases(world.database, fences, 30)).toEqual(new Set(['mine']));
  expect((await read('mine'))?.lease).toBe(30);
  expect((await read('newer'))?.lease).toBe(1);
  expect((await read('swept'))?.lease).toBeNull();
});

test('a unit given back waits again in its epoch; only a failure counts as a start', async () => {
  await store('left', { status: 'claimed', epoch: 4, starts: 2, lease: '9 s' });
  await store('failed', { status: 'claimed', epoch: 4, starts: 2, lease: '9 s' });
  const left = { unit_id: 'left', epoch: 4 };
  const ring = await releaseUnit(world.database, left, { error: null, counts_as_start: false });
  expect(ring).toEqual({ queue: 'subtasks', tenant_id: 'default', unit_id: 'left', epoch: 4 });
  expect(await read('left')).toEqual({
    status: 'waiting',
    starts: 1,
    last_error: null,
    lease: null,
  });
  const failed = { unit_id: 'failed', epoch: 4 };
  await releaseUnit(world.database, failed, { error: 'boom', counts_as_start: true });
  expect(await read('failed')).toMatchObject({ status: 'waiting', starts: 2, last_error: 'boom' });
});

test('what is not owned cannot be given back', async () => {
  await store('newer', { status: 'claimed', epoch: 2, lease: '9 s' });
  await store('done', { status: 'done' });
  for (const unit_id of ['newer', 'done', 'gone']) {
    const reason = { error: 'late', counts_as_start: true };
    expect(await releaseUnit(world.database, { unit_id, epoch: 1 }, reason)).toBeNull();
  }
  expect(await read('newer')).toMatchObject({ status: 'claimed', last_error: null });
});

test('a sweep finds silent owners and lost rings, and leaves the rest alone', async () => {
  await store('silent', { status: 'claimed', epoch: 3, lease: '-1 s' });
  await store('alive', { status: 'claimed', lease: '5 s' });
  await store('unheard', { status: 'waiting', epoch: 0, rung: '-20 s', queue: 'turns' });
  await store('rung', { status: 'waiting', rung: '-5 s' });
  for (const status of ['parked', 'done', 'withdrawn', 'dead']) {
    await store(status, { status, lease: '-99 s', rung: '-99 s' });
  }
  const rings = await sweepUnits(world.database, 10);
  expect(rings.toSorted((a, b) => a.unit_id.localeCompare(b.unit_id))).toEqual([
    { queue: 'subtasks', tenant_id: 'default', unit_id: 'silent', epoch: 3 },
    { queue: 'turns', tenant_id: 'default', unit_id: 'unheard', epoch: 0 },
  ]);
  expect(await read('silent')).toMatchObject({
    status: 'waiting',
    starts: 1,
    last_error: 'its worker went silent',
  });
  expect(await sweepUnits(world.database, 10)).toEqual([]);
});

test('a sweep does not wait for a unit that someone else is sweeping or giving back', async () => {
  for (const id of ['busy', 'free']) await store(id, { status: 'claimed', lease: '-1 s' });
  const other = await world.database.pool.connect();
  await other.query('BEGIN');
  await other.query(`SELECT 1 FROM units WHERE id = 'busy' FOR UPDATE`);
  const first = await sweepUnits(world.database, 10);
  expect(first.map(({ unit_id }) => unit_id)).toEqual(['free']);
  await other.query('ROLLBACK');
  other.release();
  const second = await sweepUnits(world.database, 10);
  expect(second.map(({ unit_id }) => unit_id)).toEqual(['busy']);
});
