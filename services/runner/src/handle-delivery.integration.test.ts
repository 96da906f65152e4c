import { createHmac } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { claimDelivery } from '@loom/db/deliveries/claim-delivery';
import { insertDeliveries } from '@loom/db/deliveries/insert-deliveries';
import { getOrCreateSecret, rotateSecret } from '@loom/db/deliveries/webhook-secret';
import { sweepUnits } from '@loom/db/leases';
import { inTransaction } from '@loom/db/transaction';
import { LostUnit, UnitYield } from '@loom/runtime/unit-yield';
import { configSchema } from '@loom/shared/config';
import { newId } from '@loom/shared/ids';
import type { ClaimedUnit } from '@loom/shared/work';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { handleDelivery } from './handle-delivery.ts';

interface Heard {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

let world: TestDatabase;
let server: Server;
let base: string;
let heard: Heard[];
/** How the receiver answers; the number is that of the call. */
let answer: (response: ServerResponse, number: number) => void;

beforeAll(async () => {
  world = await createTestDatabase();
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    heard.push({ path: request.url ?? '', headers: request.headers, body });
    answer(response, heard.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  heard = [];
  answer = (response) => response.writeHead(204).end();
  await world.rows('TRUNCATE units, deliveries, webhook_secrets');
});

const settings = configSchema.parse({
  webhooks: {
    max_attempts: 4,
    base_delay_seconds: 10,
    max_delay_seconds: 35,
    allow_private_networks: true,
  },
}).webhooks;

const task = { id: 'task_1', status: 'failed', goal: 'größer, 更大', metadata: { ticket: 7 } };

async function deliver(url: string): Promise<string> {
  const id = newId('dlv');
  const about = { tenant_id: 'acme', task_id: 'task_1', session_id: null };
  const delivery = { id, ...about, url, event: 'task.failed' as const, payload: task };
  await inTransaction(world.database, (client) => insertDeliveries(client, [delivery]));
  return id;
}

async function claim(id: string, owner = 'wrk_1'): Promise<ClaimedUnit> {
  const [unit] = await world.rows<{ epoch: number }>(
    'SELECT epoch, status, starts, available_at, now() FROM units WHERE id = $1',
    [id],
  );
  const params = { unit_id: id, epoch: unit?.epoch ?? -1, owner, lease_seconds: 30, max_starts: 3 };
  const claimed = await claimDelivery(world.database, params);
  if (claimed.outcome !== 'claimed') throw new Error(`${claimed.outcome}: ${JSON.stringify(unit)}`);
  return claimed.unit;
}

const quiet = new AbortController().signal;

function handle(
  unit: ClaimedUnit,
  options: Partial<Parameters<typeof handleDelivery>[0]> = {},
  abort = quiet,
): Promise<void> {
  const deps = { db: world.database, settings, now: () => new Date(), ...options };
  const signals = { abort, stop: quiet, drain: quiet };
  return handleDelivery(deps, unit, { signals, checkpoint: () => undefined });
}

async function stateOf(id: string) {
  const [row] = await world.rows<{
    unit: string;
    wait: number | null;
    status: string;
    attempts: { number: number; status: number | null; error: string | null }[];
  }>(
    `SELECT u.status AS unit, round(extract(epoch FROM u.available_at - u.parked_at))::int AS wait, d.status, d.attempts
      FROM units u JOIN deliveries d ON d.id = u.id WHERE u.id = $1`,
    [id],
  );
  if (row === undefined) throw new Error('no such delivery');
  return row;
}

/** Lets the time of the next attempt come. */
async function becomeDue(id: string): Promise<void> {
  await world.rows(
    `UPDATE units SET available_at = now() - interval '1 hour' WHERE id = $1 AND status = 'parked'`,
    [id],
  );
  await sweepUnits(world.database, 10);
}

test('a receiver can verify who sent it, when, and that nothing was changed', async () => {
  const id = await deliver(`${base}/hook?key=1`);
  await handle(await claim(id));
  const [call] = heard;
  if (call === undefined) throw new Error('nothing was received');
  expect(call.path).toBe('/hook?key=1');
  expect(call.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'loom-webhooks',
    'loom-delivery': id,
    'loom-event': 'task.failed',
    'content-length': String(Buffer.byteLength(call.body)),
  });
  const timestamp = String(call.headers['loom-timestamp']);
  expect(Math.abs(Number(timestamp) - Date.now() / 1_000)).toBeLessThan(60);
  const { secret } = await getOrCreateSecret(world.database, 'acme');
  const sign = (key: string) =>
    `v1=${createHmac('sha256', key).update(`${timestamp}.${call.body}`).digest('hex')}`;
  expect(call.headers['loom-signature']).toBe(sign(secret));
  const other = await getOrCreateSecret(world.database, 'other');
  expect(call.headers['loom-signature']).not.toBe(sign(other.secret));
  expect(JSON.parse(call.body)).toEqual({
    id,
    type: 'task.failed',
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    task,
  });
  expect(await stateOf(id)).toMatchObject({
    unit: 'done',
    status: 'delivered',
    attempts: [{ number: 1, status: 204, error: null, duration_ms: expect.any(Number) }],
  });
});

test('attempts go on with doubled delays, whoever makes them, until they are used up', async () => {
  answer = (response) => response.writeHead(500).end('broken');
  const id = await deliver(base);
  const waits: (number | null)[] = [];
  for (const owner of ['wrk_1', 'wrk_2', 'wrk_1', 'wrk_3']) {
    await handle(await claim(id, owner));
    const { wait } = await stateOf(id);
    waits.push(wait);
    await becomeDue(id);
  }
  expect(waits).toEqual([10, 20, 35, null]);
  const state = await stateOf(id);
  expect(state).toMatchObject({ unit: 'done', status: 'failed' });
  const { attempts } = state;
  expect(attempts.map(({ number, status, error }) => [number, status, error])).toEqual(
    [1, 2, 3, 4].map((number) => [number, 500, 'answered 500: broken']),
  );
  expect(new Set(heard.map(({ body }) => body)).size).toBe(1);
});

test('a retry is signed anew, with the secret of that moment', async () => {
  answer = (response, number) => response.writeHead(number === 1 ? 503 : 200).end();
  const id = await deliver(base);
  await handle(await claim(id), { now: () => new Date('2026-11-16T12:00:00Z') });
  await becomeDue(id);
  const { secret } = await rotateSecret(world.database, 'acme');
  await handle(await claim(id), { now: () => new Date('2026-11-16T12:01:00Z') });
  const [first, second] = heard;
  expect(Number(second?.headers['loom-timestamp']) - Number(first?.headers['loom-timestamp'])).toBe(
    60,
  );
  const signed = createHmac('sha256', secret)
    .update(`${second?.headers['loom-timestamp']}.${second?.body}`)
    .digest('hex');
  expect(second?.headers['loom-signature']).toBe(`v1=${signed}`);
  expect((await stateOf(id)).status).toBe('delivered');
});

test('a receiver may ask for more time, and may end it', async () => {
  answer = (response, number) => {
    if (number === 1) response.writeHead(429, { 'retry-after': '25' }).end();
    else response.writeHead(410).end();
  };
  const id = await deliver(base);
  await handle(await claim(id));
  expect(await stateOf(id)).toMatchObject({ unit: 'parked', status: 'pending', wait: 25 });
  await becomeDue(id);
  await handle(await claim(id));
  expect(await stateOf(id)).toMatchObject({
    unit: 'done',
    status: 'failed',
    attempts: [{ status: 429 }, { status: 410, error: 'answered 410, which ends the delivery' }],
  });
});

test('a redirect is a failed attempt, and its target is not called', async () => {
  answer = (response) => response.writeHead(307, { location: `${base}/target` }).end();
  const id = await deliver(`${base}/start`);
  await handle(await claim(id));
  expect(heard.map(({ path }) => path)).toEqual(['/start']);
  const error = 'answered 307; redirects are not followed';
  expect(await stateOf(id)).toMatchObject({
    status: 'pending',
    attempts: [{ status: 307, error }],
  });
});

test('an endless answer is cut, and what it begins with is kept', async () => {
  answer = (response) => {
    response.writeHead(500);
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(1_000)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  const id = await deliver(base);
  await handle(await claim(id));
  const error = `answered 500: ${'x'.repeat(300)}`;
  expect(await stateOf(id)).toMatchObject({
    status: 'pending',
    attempts: [{ status: 500, error }],
  });
});

test('whoever takes over a silent worker calls again; after a recorded success nobody does', async () => {
  const held: ServerResponse[] = [];
  let received = (): void => undefined;
  const first = new Promise<void>((resolve) => {
    received = resolve;
  });
  answer = (response, number) => {
    if (number > 1) response.writeHead(200).end();
    else {
      held.push(response);
      received();
    }
  };
  const id = await deliver(base);
  const silent = await claim(id, 'wrk_1');
  const zombie = handle(silent);
  await first;
  await world.rows(`UPDATE units SET lease_until = now() - interval '1 second' WHERE id = $1`, [
    id,
  ]);
  expect(await sweepUnits(world.database, 10)).toMatchObject([{ unit_id: id, epoch: 1 }]);
  const heir = await claim(id, 'wrk_2');
  await handle(heir);
  held[0]?.writeHead(500).end();
  await expect(zombie).rejects.toBeInstanceOf(LostUnit);
  expect(await stateOf(id)).toMatchObject({
    unit: 'done',
    status: 'delivered',
    attempts: [
      { number: 1, status: null, error: expect.stringContaining('may have arrived') },
      { number: 2, status: 200, error: null },
    ],
  });
  // Late rings, late handlers and sweeps find nothing to do.
  for (const epoch of [0, 1, 2]) {
    const params = { unit_id: id, epoch, owner: 'wrk_3', lease_seconds: 30, max_starts: 3 };
    expect(await claimDelivery(world.database, params)).toEqual({ outcome: 'refused' });
  }
  for (const unit of [silent, heir]) await expect(handle(unit)).rejects.toBeInstanceOf(LostUnit);
  expect(await sweepUnits(world.database, 0)).toEqual([]);
  expect(heard).toHaveLength(2);
});

test('a process that must end gives the delivery back in the middle of a call', async () => {
  const stop = new AbortController();
  answer = () => stop.abort();
  const id = await deliver(base);
  await expect(handle(await claim(id), {}, stop.signal)).rejects.toBeInstanceOf(UnitYield);
  expect(await stateOf(id)).toMatchObject({ unit: 'claimed', status: 'pending' });
});

test('an address that may not be called is refused where it is called, too', async () => {
  const guarded = { ...settings, allow_private_networks: false };
  const literal = await deliver(base);
  await handle(await claim(literal), { settings: guarded });
  expect(await stateOf(literal)).toMatchObject({
    unit: 'done',
    status: 'failed',
    attempts: [{ status: null, error: expect.stringContaining('must not point to 127.0.0.1') }],
  });
  const named = await deliver(base.replace('127.0.0.1', 'hook.example'));
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  await handle(await claim(named), { settings: guarded, resolve });
  expect(await stateOf(named)).toMatchObject({
    unit: 'parked',
    attempts: [{ status: null, error: expect.stringContaining('not on the public internet') }],
  });
  expect(heard).toEqual([]);
});
