import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { problemSchema } from '@loom/shared/api';
import { createClient } from '@loom/testing/api-client';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

// Every route that the gateway documents, whatever is added later, against every kind of nonsense.
interface Operation {
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: BodySchema }> };
}
interface BodySchema {
  properties?: Record<string, { type?: string }>;
}
interface Route {
  method: string;
  path: string;
  queries: string[];
  body: BodySchema | null;
}
interface Ask {
  key?: string;
  body?: string | Uint8Array<ArrayBuffer> | undefined;
  headers?: Record<string, string>;
}

let cluster: Cluster;
let url: string;
let routes: Route[];
let strangersKey: string;
/** What stands for each parameter of a path: things that exist. */
let known: Record<string, string>;
let rowsBefore: Record<string, string>;

beforeAll(async () => {
  // Nobody works here: what is stored is what the gateway stored.
  cluster = await startCluster({
    model: await startScriptedModel(),
    planners: 0,
    runners: 0,
    verifiers: 0,
  });
  url = cluster.gateways[0] ?? '';
  const { client } = cluster;
  const made = await client.post('/api/admin/keys', {
    name: 'x',
    scopes: ['user'],
    tenant: 'other',
  });
  strangersKey = (made as { key: string }).key;
  const session = await client.createSession();
  const { turn_id } = await client.sendTurn(session.id, 'first');
  const task = await client.createTask({
    goal: 'x',
    plan: { subtasks: [{ id: 'a', description: 'a' }] },
  });
  known = {
    '/api/sessions/{id}': `/api/sessions/${session.id}`,
    '/api/tasks/{id}': `/api/tasks/${task.id}`,
    '{turn_id}': turn_id,
    '{subtask_id}': 'a',
    '{queue}': 'turns',
    '{job_id}': 'x',
    '{id}': 'x',
  };
  routes = readRoutes((await client.get('/openapi.json')) as Parameters<typeof readRoutes>[0]);
  rowsBefore = await allRows();
}, 120_000);
afterAll(() => cluster?.stop());

const oddIds = [
  '%00',
  '%ED%A0%80',
  '%zz',
  '%F0%9F%92%A9',
  "'%20OR%201=1--",
  '..%2F..%2Fetc',
  'a%0d%0ab',
  '9'.repeat(400),
];

test('ids that were never given out are refused on every route', async () => {
  const withIds = routes.filter(({ path }) => path.includes('{'));
  expect(withIds.length).toBeGreaterThan(15);
  for (const route of withIds) {
    const body = route.body === null ? undefined : '{}';
    const paths = oddIds.map((odd) => route.path.replaceAll(/\{\w+\}/g, odd));
    await Promise.all(paths.map((path) => refuses(route.method, path, { body })));
  }
});

test('bodies of the wrong shape, type, size or encoding are refused on every route', async () => {
  const wrong: Ask[] = [
    { body: '{"' },
    { body: '[]' },
    { body: '"text"' },
    { body: '{"no_such_field": 1}' },
    { body: '{"\\u0000": 1}' },
    { body: `{"no_such_field": "${'x'.repeat(2_000_000)}"}` },
    { body: Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d) },
    { body: '{"no_such_field": 1}', headers: { 'content-type': 'text/plain' } },
    { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    { body: new Uint8Array(gzipSync('{}')), headers: { 'content-encoding': 'gzip' } },
  ];
  const withBodies = routes.filter(({ body }) => body !== null);
  expect(withBodies.length).toBeGreaterThan(4);
  for (const route of withBodies) {
    const path = toKnown(route.path);
    const mistyped = Object.entries(route.body?.properties ?? {})
      .filter(([, { type }]) => type !== undefined && type !== 'object')
      .map(([name]) => ({ body: JSON.stringify({ [name]: { odd: [null] } }) }));
    await Promise.all([...wrong, ...mistyped].map((one) => refuses(route.method, path, one)));
  }
});

test('queries are read strictly on every route, and never break one', async () => {
  const odd = ['%00', '%ff', '-1', '0.5', '1e999', '99999999999999999999', 'x'.repeat(5_000), ''];
  for (const { method, path, queries } of routes) {
    if (method !== 'GET') continue;
    const asks = queries.flatMap((name) => odd.map((value) => ({ name, value })));
    await Promise.all(
      asks.map(async ({ name, value }) => {
        const { status } = await ask(method, `${toKnown(path)}?${name}=${value}`);
        if (name === 'limit' && value !== '') expect(status).toBe(422);
      }),
    );
  }
});

test('methods that a path does not have are refused with those that it has', async () => {
  const paths = new Set(routes.map(({ path }) => path));
  for (const path of paths) {
    const own = routes.filter((route) => route.path === path).map(({ method }) => method);
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
      if (own.includes(method)) continue;
      const response = await refuses(method, toKnown(path));
      expect(response.status).toBe(405);
      for (const allowed of own) expect(response.headers.get('allow')).toContain(allowed);
    }
  }
});

test('what is another tenant’s is not there, on any route', async () => {
  const bodies: Record<string, string> = {
    turns: '{"content":"x"}',
    recall: '{"action":"summary"}',
    steer: '{"guidance":"x"}',
    budget: '{"budget":{}}',
  };
  const owned = routes.filter(({ path }) => /^\/api\/(sessions|tasks)\/\{id\}/.test(path));
  expect(owned.length).toBeGreaterThan(10);
  for (const { method, path, body } of owned) {
    const input = body === null ? undefined : bodies[path.split('/').at(-1) ?? ''];
    const response = await refuses(method, toKnown(path), { key: strangersKey, body: input });
    expect(response.status).toBe(404);
  }
});

test('what is not even HTTP harms nobody', async () => {
  const head = `POST /api/tasks HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${cluster.key}\r\ncontent-type: application/json\r\n`;
  const nonsense = [
    'nonsense\r\n\r\n',
    '\u0000'.repeat(100),
    `${head}content-length: -5\r\n\r\n{}`,
    `${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`,
    `${head}transfer-encoding: chunked\r\n\r\nzz\r\n{}`,
    `${head}x: ${'y'.repeat(20_000)}\r\n\r\n`,
  ];
  for (const text of nonsense) expect(await sendRaw(text)).toMatch(/^HTTP\/1\.1 4\d\d /);
  // A sender that leaves in the middle of a good request.
  const half = connect(Number(new URL(url).port), '127.0.0.1');
  await once(half, 'connect');
  half.write(`${head}content-length: 30\r\n\r\n{"goal":"half`);
  half.destroy();
  await once(half, 'close');
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});

test('after all of it nothing is stored that was not before, and work is still accepted', async () => {
  expect(await allRows()).toEqual(rowsBefore);
  const client = createClient({ url, key: strangersKey });
  expect((await client.createTask({ goal: 'mine' })).status).toBe('queued');
  expect(cluster.of('gateway')[0]?.output()).not.toMatch(/"level":[56]0/);
});

function readRoutes(document: { paths: Record<string, Record<string, Operation>> }): Route[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters, requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      queries: parameters.filter((one) => one.in === 'query').map(({ name }) => name),
      body: requestBody?.content['application/json']?.schema ?? null,
    })),
  );
}

function toKnown(path: string): string {
  return Object.entries(known).reduce((text, [from, to]) => text.replace(from, to), path);
}

/** Any answer but a failure of ours; a refusal is a problem that says what is wrong. */
async function ask(method: string, path: string, { key, body, headers }: Ask = {}) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key ?? cluster.key}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const what = `${method} ${path.slice(0, 200)} ${String(body).slice(0, 80)}`;
  expect(response.status, `${what}: ${text.slice(0, 300)}`).toBeLessThan(500);
  const isPage = response.headers.get('content-type')?.startsWith('text/html');
  if (response.status >= 400 && !isPage) {
    expect(response.headers.get('content-type'), what).toBe('application/problem+json');
    expect(problemSchema.parse(JSON.parse(text)).detail, what).not.toBe('');
  }
  return response;
}

async function refuses(method: string, path: string, options: Ask = {}) {
  const response = await ask(method, path, options);
  const what = `${method} ${path.slice(0, 200)} ${String(options.body).slice(0, 80)}`;
  expect(response.status, what).toBeGreaterThanOrEqual(400);
  return response;
}

async function sendRaw(text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (part) => {
    answer += part;
  });
  // The server may hang up before it has read everything.
  socket.on('error', () => {});
  socket.write(text, 'latin1');
  await new Promise((resolve) => socket.once('close', resolve));
  return answer;
}

/** A fingerprint of every table's rows, but for heartbeats. */
async function allRows(): Promise<Record<string, string>> {
  const { database } = cluster;
  const tables = await database.rows<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'workers'",
  );
  const prints = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await database.rows<{ print: string }>(
        `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') AS print FROM "${name}" t`,
      );
      return [name, row?.print ?? ''] as const;
    }),
  );
  return Object.fromEntries(prints);
}
