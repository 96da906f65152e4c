import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from './test-support/test-gateway.ts';

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database);
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

const page = '/admin/queues';
const fetchAs = (key: string | null, path: string, init: RequestInit = {}) =>
  fetch(gateway.url + path, {
    redirect: 'manual',
    ...init,
    headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...init.headers },
  });

test('the dashboard opens for the operator alone', async () => {
  const operator = await gateway.client(['admin']);
  const user = await gateway.client(['user']);
  const stranger = await gateway.client(['admin'], 'other');
  expect((await fetchAs(null, page)).status).toBe(401);
  expect((await fetchAs(null, page, { headers: { accept: 'text/html' } })).status).toBe(302);
  expect((await fetchAs(user.key, page)).status).toBe(403);
  expect((await fetchAs(stranger.key, `${page}/api/queues`)).status).toBe(403);
  const shown = await fetchAs(operator.key, page);
  expect(shown.status).toBe(200);
  expect(shown.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(await shown.text()).toContain('Loom queues');
  const queues = await fetchAs(operator.key, `${page}/api/queues`);
  const { queues: listed } = (await queues.json()) as {
    queues: { name: string; readOnlyMode: boolean }[];
  };
  expect(listed.map(({ name }) => name)).toEqual([
    'turns',
    'plans',
    'subtasks',
    'verifications',
    'deliveries',
  ]);
  expect(listed.every(({ readOnlyMode }) => readOnlyMode)).toBe(true);
});

test('it changes nothing, not even for the operator', async () => {
  const operator = await gateway.client(['admin']);
  const paused = await fetchAs(operator.key, `${page}/api/queues/turns/pause`, { method: 'PUT' });
  expect(paused.status).toBeGreaterThanOrEqual(400);
  const { body } = await operator.request('GET', '/api/admin/queues');
  const { items } = body as { items: { name: string; paused: boolean }[] };
  expect(items.find(({ name }) => name === 'turns')?.paused).toBe(false);
});
