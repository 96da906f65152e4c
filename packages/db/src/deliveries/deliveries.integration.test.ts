import { newId } from '@loom/shared/ids';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { releaseUnit } from '../leases.ts';
import { inTransaction } from '../transaction.ts';
import { beginAttempt } from './begin-attempt.ts';
import { claimDelivery } from './claim-delivery.ts';
import { finishDelivery, parkDelivery } from './end-attempt.ts';
import { insertDeliveries, type NewDelivery } from './insert-deliveries.ts';
import { listDeliveries } from './list-deliveries.ts';
import { retryDelivery } from './retry-delivery.ts';
import { getOrCreateSecret, rotateSecret } from './webhook-secret.ts';

let world: TestDatabase;
beforeAll(async () => {
  world = await createTestDatabase();
  await world.rows(`INSERT INTO tenants (id) VALUES ('acme'), ('other')`);
});
beforeEach(() => world.rows('TRUNCATE units, deliveries, webhook_secrets'));

const task = { id: 'task_1', status: 'completed', goal: 'say "hello"', metadata: { ticket: 7 } };

function newDelivery(overrides: Partial<NewDelivery> = {}): NewDelivery {
  return {
    id: newId('dlv'),
    tenant_id: 'acme',
    task_id: 'task_1',
    session_id: 'ses_1',
    url: 'https://example.com/hook',
    event: 'task.completed',
    payload: task,
    ...overrides,
  };
}

async function insert(overrides: Partial<NewDelivery> = {}): Promise<string> {
  const delivery = newDelivery(overrides);
  await inTransaction(world.database, (client) => insertDeliveries(client, [delivery]));
  return delivery.id;
}

const claim = (unit_id: string, epoch: number, owner = 'wrk_1') =>
  claimDelivery(world.database, { unit_id, epoch, owner, lease_seconds: 30, max_starts: 3 });

const unitOf = async (id: string) =>
  (
    await world.rows<{ status: string; epoch: number; starts: number; wait: number | null }>(
      `SELECT status, epoch, starts, round(extract(epoch FROM available_at - now()))::int AS wait
        FROM units WHERE id = $1`,
      [id],
    )
  )[0];

const deliveryOf = async (id: string) =>
  (
    await world.rows<{ status: string; attempts: Record<string, unknown>[]; ended: boolean }>(
      'SELECT status, attempts, ended_at IS NOT NULL AS ended FROM deliveries WHERE id = $1',
      [id],
    )
  )[0];

const ok = { status: 200, error: null, duration_ms: 12, delivered: true };
const oops = { status: 500, error: 'answered 500', duration_ms: 12 };

test('deliveries are kept with a unit each, and rung for', async () => {
  const [first, second] = [newDelivery(), newDelivery({ tenant_id: 'other', session_id: null })];
  const rings = await inTransaction(world.database, (client) =>
    insertDeliveries(client, [first, second]),
  );
  expect(rings).toEqual([
    { queue: 'deliveries', tenant_id: 'acme', unit_id: first.id, epoch: 0 },
    { queue: 'deliveries', tenant_id: 'other', unit_id: second.id, epoch: 0 },
  ]);
  const rows = await world.rows(
    'SELECT id, tenant_id, task_id, url, event, payload, status, attempts FROM deliveries ORDER BY tenant_id',
  );
  const fresh = { status: 'pending', attempts: [] };
  const expected = [first, second].map(({ session_id: _, ...row }) => ({ ...row, ...fresh }));
  expect(rows).toEqual(expected);
  const units = await world.rows(
    'SELECT queue, status, task_id, session_id, tenant_id FROM units ORDER BY tenant_id',
  );
  const unit = { queue: 'deliveries', status: 'waiting', task_id: 'task_1' };
  expect(units).toEqual([
    { ...unit, session_id: 'ses_1', tenant_id: 'acme' },
    { ...unit, session_id: null, tenant_id: 'other' },
  ]);
  expect(await inTransaction(world.database, (client) => insertDeliveries(client, []))).toEqual([]);
});

test('of two who claim at the same instant, one gets it', async () => {
  const id = await insert();
  const other = await world.database.pool.connect();
  await other.query('BEGIN');
  await other.query('SELECT 1 FROM units WHERE id = $1 FOR UPDATE', [id]);
  const claims = [claim(id, 0, 'wrk_1'), claim(id, 0, 'wrk_2')];
  const blocked = () =>
    world.rows(`SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`);
  while ((await blocked()).length < claims.length);
  await other.query('ROLLBACK');
  other.release();
  const outcomes = await Promise.all(claims);
  expect(outcomes).toHaveLength(2);
  expect(outcomes).toContainEqual({ outcome: 'refused' });
  expect(outcomes).toContainEqual({
    outcome: 'claimed',
    unit: expect.objectContaining({ unit_id: id, epoch: 1, queue: 'deliveries', metered: false }),
  });
  expect(await unitOf(id)).toMatchObject({ status: 'claimed', epoch: 1, starts: 1 });
  expect(await claim(newId('dlv'), 0)).toEqual({ outcome: 'refused' });
});

test('attempts are written before they are made, and again when they end', async () => {
  const id = await insert();
  await claim(id, 0);
  const fence = { unit_id: id, epoch: 1 };
  const begun = await beginAttempt(world.database, fence, 8);
  expect(begun).toEqual({
    outcome: 'begun',
    number: 1,
    url: 'https://example.com/hook',
    event: 'task.completed',
    body: { id, type: 'task.completed', created_at: expect.stringMatching(/Z$/), task },
  });
  const underWay = { number: 1, status: null, error: null, duration_ms: null, next_at: null };
  expect((await deliveryOf(id))?.attempts).toMatchObject([underWay]);

  expect(await parkDelivery(world.database, fence, { ...oops, seconds: 40 })).toBe(true);
  expect(await unitOf(id)).toEqual({ status: 'parked', epoch: 1, starts: 0, wait: 40 });
  const [row] = await world.rows<{ same: boolean }>(
    `SELECT u.available_at = (d.attempts->0->>'next_at')::timestamptz AS same
      FROM units u JOIN deliveries d ON d.id = u.id WHERE u.id = $1`,
    [id],
  );
  expect(row?.same).toBe(true);
  expect(await claim(id, 1)).toEqual({ outcome: 'refused' });

  await world.rows(`UPDATE units SET status = 'waiting' WHERE id = $1`, [id]);
  await claim(id, 1, 'wrk_2');
  const later = { unit_id: id, epoch: 2 };
  expect(await beginAttempt(world.database, later, 8)).toMatchObject({ number: 2 });
  expect(await finishDelivery(world.database, later, ok)).toBe(true);
  expect(await unitOf(id)).toMatchObject({ status: 'done', wait: null });
  expect(await deliveryOf(id)).toMatchObject({
    status: 'delivered',
    ended: true,
    attempts: [
      { number: 1, status: 500, error: 'answered 500', duration_ms: 12 },
      { number: 2, status: 200, error: null, duration_ms: 12, next_at: null },
    ],
  });
});

test('who has lost a delivery changes nothing', async () => {
  const id = await insert();
  await claim(id, 0);
  const old = { unit_id: id, epoch: 1 };
  await beginAttempt(world.database, old, 8);
  await releaseUnit(world.database, old, { error: 'silent', counts_as_start: true });
  await claim(id, 1);
  const mine = { unit_id: id, epoch: 2 };
  await beginAttempt(world.database, mine, 8);
  const before = await deliveryOf(id);
  expect(await finishDelivery(world.database, old, ok)).toBe(false);
  expect(await parkDelivery(world.database, old, { ...oops, seconds: 1 })).toBe(false);
  expect(await beginAttempt(world.database, old, 8)).toEqual({ outcome: 'lost' });
  expect(await deliveryOf(id)).toEqual(before);
  expect(before?.attempts).toMatchObject([
    { number: 1, status: null, error: expect.stringContaining('may have arrived') },
    { number: 2, status: null, error: null },
  ]);
  // Nor does anybody, once it is over.
  await finishDelivery(world.database, mine, ok);
  expect(await finishDelivery(world.database, mine, { ...ok, delivered: false })).toBe(false);
  expect(await claim(id, 2)).toEqual({ outcome: 'refused' });
  expect((await deliveryOf(id))?.status).toBe('delivered');
});

test('an attempt that cannot be made any more ends the delivery', async () => {
  const id = await insert();
  for (let epoch = 0; epoch < 2; epoch++) {
    await claim(id, epoch);
    await beginAttempt(world.database, { unit_id: id, epoch: epoch + 1 }, 2);
    const fence = { unit_id: id, epoch: epoch + 1 };
    await releaseUnit(world.database, fence, { error: null, counts_as_start: false });
  }
  await claim(id, 2);
  const spent = await beginAttempt(world.database, { unit_id: id, epoch: 3 }, 2);
  expect(spent).toEqual({ outcome: 'spent' });
  expect((await unitOf(id))?.status).toBe('done');
  const delivery = await deliveryOf(id);
  expect(delivery).toMatchObject({ status: 'failed', ended: true });
  expect(delivery?.attempts.map(({ error }) => error)).toEqual([
    expect.stringContaining('went away'),
    expect.stringContaining('went away'),
  ]);
});

test('a delivery that kills its workers becomes a dead letter, and comes back once', async () => {
  const id = await insert();
  for (let epoch = 0; epoch < 3; epoch++) {
    expect(await claim(id, epoch)).toMatchObject({ outcome: 'claimed' });
    const fence = { unit_id: id, epoch: epoch + 1 };
    await beginAttempt(world.database, fence, 8);
    await releaseUnit(world.database, fence, { error: 'boom', counts_as_start: true });
  }
  const reason = 'started 3 times without progress: boom';
  expect(await claim(id, 3)).toEqual({ outcome: 'dead', reason });
  expect(await unitOf(id)).toMatchObject({ status: 'dead', starts: 3 });
  const delivery = await deliveryOf(id);
  expect(delivery).toMatchObject({ status: 'failed', ended: true });
  expect(delivery?.attempts.at(-1)).toMatchObject({ error: expect.stringContaining('went away') });

  const retry = (tenant_id: string) =>
    inTransaction(world.database, (client) => retryDelivery(client, { tenant_id, id }));
  expect(await retry('other')).toBeNull();
  const rings = await Promise.all([retry('acme'), retry('acme')]);
  expect(rings.filter((ring) => ring !== null)).toEqual([
    { queue: 'deliveries', tenant_id: 'acme', unit_id: id, epoch: 3 },
  ]);
  expect(await unitOf(id)).toMatchObject({ status: 'waiting', starts: 0 });
  expect(await deliveryOf(id)).toMatchObject({ status: 'pending', ended: false });
  expect(await claim(id, 3)).toMatchObject({ outcome: 'claimed' });
});

test('a tenant lists the deliveries of its own tasks', async () => {
  await world.rows(`INSERT INTO tasks (id, tenant_id, goal, status, max_parallel)
    VALUES ('task_1', 'acme', 'x', 'completed', 1), ('task_2', 'acme', 'x', 'queued', 1)`);
  const first = await insert({ event: 'task.failed' });
  const second = await insert();
  const list = (tenant_id: string, task_id: string) =>
    listDeliveries(world.database, { tenant_id, task_id });
  const found = await list('acme', 'task_1');
  expect(found).toMatchObject([
    { id: first, event: 'task.failed', status: 'pending', attempts: [], ended_at: null },
    { id: second, event: 'task.completed', url: 'https://example.com/hook', task_id: 'task_1' },
  ]);
  expect(await list('acme', 'task_2')).toEqual([]);
  expect(await list('acme', 'task_3')).toBeNull();
  expect(await list('other', 'task_1')).toBeNull();
});

test('a tenant has one secret until it is replaced', async () => {
  const asked = await Promise.all(
    Array.from({ length: 6 }, () => getOrCreateSecret(world.database, 'acme')),
  );
  const [first] = asked;
  expect(first?.secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
  expect(new Set(asked.map(({ secret }) => secret)).size).toBe(1);
  expect((await getOrCreateSecret(world.database, 'other')).secret).not.toBe(first?.secret);
  const next = await rotateSecret(world.database, 'acme');
  expect(next.secret).not.toBe(first?.secret);
  expect(await getOrCreateSecret(world.database, 'acme')).toEqual(next);
});
