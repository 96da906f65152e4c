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

/** A subtask that was given up, with its job still in sight. */
async function deadLetter(): Promise<{ taskId: string; unitId: string; jobId: string }> {
  const user = await gateway.client(['user']);
  const plan = { subtasks: [{ id: 'a', description: 'do a' }] };
  const { id } = await user.createTask({ goal: 'x', plan });
  const unitId = `${id}.a.1`;
  await database.rows('UPDATE units SET starts = 3 WHERE id = $1', [unitId]);
  const claim = { kind: 'claim', task_id: id, unit_id: unitId, epoch: 0 } as const;
  expect(await gateway.runtime.committer.add(claim)).toMatchObject({ outcome: 'dead' });
  const jobId = `subtasks-${unitId}-0`;
  // Rung after the commit, so a moment later.
  while ((await gateway.queueAdmin.job('subtasks', jobId)) === null) {
    await database.rows('SELECT pg_sleep(0.02)');
  }
  return { taskId: id, unitId, jobId };
}

const retriesOf = (unitId: string) =>
  database.rows<{ actor: string; detail: { via: string } }>(
    `SELECT actor, detail FROM audit_log WHERE action = 'unit.retry' AND target = $1`,
    [unitId],
  );

test('it retries a failed job through our own door, and names who asked', async () => {
  const operator = await gateway.client(['admin']);
  const { taskId, unitId, jobId } = await deadLetter();
  const path = `${page}/api/queues/subtasks/${jobId}/retry`;
  const put = (key: string, init: RequestInit = {}) =>
    fetchAs(key, path, { method: 'PUT', ...init });
  const user = await gateway.client(['user']);
  expect((await put(user.key)).status).toBe(403);
  expect(await retriesOf(unitId)).toEqual([]);
  expect((await put(operator.key)).status).toBe(204);
  expect(await retriesOf(unitId)).toMatchObject([
    { actor: operator.key_id, detail: { via: `dashboard job ${jobId}` } },
  ]);
  expect((await user.getTask(taskId)).subtasks[0]?.attempts).toHaveLength(2);
  const again = await put(operator.key);
  expect(again.status).toBe(409);
  expect(await again.json()).toMatchObject({ error: expect.stringContaining('not dead') });
  const unknown = `${page}/api/queues/subtasks/none/retry`;
  expect((await fetchAs(operator.key, unknown, { method: 'PUT' })).status).toBe(404);
});

test('a retry by API, dead letter and dashboard at once is one new attempt', async () => {
  const operator = await gateway.client(['admin']);
  const { taskId, unitId, jobId } = await deadLetter();
  const answers = await Promise.all([
    fetchAs(operator.key, `${page}/api/queues/subtasks/${jobId}/retry`, { method: 'PUT' }),
    fetchAs(operator.key, `${page}/api/queues/subtasks/retry/failed`, { method: 'PUT' }),
    fetchAs(operator.key, `/api/admin/dead-letters/${unitId}/retry`, { method: 'POST' }),
    fetchAs(operator.key, `/api/admin/queues/subtasks/jobs/${jobId}/retry`, { method: 'POST' }),
    fetchAs(operator.key, '/api/admin/queues/subtasks/retry-failed', { method: 'POST' }),
  ]);
  for (const { status } of answers) expect([200, 202, 204, 404, 409]).toContain(status);
  const user = await gateway.client(['user']);
  expect((await user.getTask(taskId)).subtasks[0]?.attempts).toHaveLength(2);
  expect(await retriesOf(unitId)).toMatchObject([{ actor: operator.key_id }]);
});

test('a page of another site retries nothing with the operator’s cookie', async () => {
  const operator = await gateway.client(['admin']);
  const { unitId, jobId } = await deadLetter();
  const login = await fetchAs(null, '/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: operator.key }),
  });
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  const path = `${page}/api/queues/subtasks/${jobId}/retry`;
  const put = (headers: Record<string, string>) =>
    fetchAs(null, path, { method: 'PUT', headers: { cookie, ...headers } });
  expect((await put({ origin: 'https://evil.example' })).status).toBe(403);
  expect((await put({})).status).toBe(403);
  expect(await retriesOf(unitId)).toEqual([]);
  expect((await put({ origin: gateway.url })).status).toBe(204);
});

test('it offers the button where failed jobs are listed', async () => {
  const operator = await gateway.client(['admin']);
  const look = async (query: string) => {
    const response = await fetchAs(operator.key, `${page}/api/queues?${query}`);
    const { queues } = (await response.json()) as {
      queues: { name: string; readOnlyMode: boolean; allowRetries: boolean }[];
    };
    return queues.filter(({ readOnlyMode }) => !readOnlyMode);
  };
  expect(await look('activeQueue=plans&status=completed&page=1')).toEqual([]);
  expect(await look('activeQueue=plans&status=failed&page=1')).toMatchObject([
    { name: 'plans', allowRetries: true },
  ]);
});

test('it changes nothing else, not even for the operator', async () => {
  const operator = await gateway.client(['admin']);
  const { jobId } = await deadLetter();
  const changes = [
    'turns/pause',
    'subtasks/retry/completed',
    'subtasks/clean/failed',
    'subtasks/empty',
    `subtasks/${jobId}/clean`,
    `subtasks/${jobId}/promote`,
  ];
  for (const change of changes) {
    const refused = await fetchAs(operator.key, `${page}/api/queues/${change}`, { method: 'PUT' });
    expect(refused.status).toBe(405);
  }
  const { body } = await operator.request('GET', '/api/admin/queues');
  const { items } = body as { items: { name: string; paused: boolean }[] };
  expect(items.find(({ name }) => name === 'turns')?.paused).toBe(false);
});
