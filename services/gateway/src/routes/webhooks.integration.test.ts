import { insertDeliveries } from '@loom/db/deliveries/insert-deliveries';
import { inTransaction } from '@loom/db/transaction';
import { newId } from '@loom/shared/ids';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-support/test-gateway.ts';

type Client = Awaited<ReturnType<TestGateway['client']>>;

let database: TestDatabase;
let gateway: TestGateway;
let user: Client;
let admin: Client;
let stranger: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database);
  user = await gateway.client(['user']);
  admin = await gateway.client(['user', 'admin']);
  stranger = await gateway.client(['user', 'admin'], 'other');
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

async function storeTask(id: string): Promise<void> {
  await database.rows(
    `INSERT INTO tasks (id, tenant_id, goal, status, max_parallel)
      VALUES ($1, 'default', 'x', 'completed', 1)`,
    [id],
  );
}

test('deliveries of a task are listed with every attempt, to its tenant alone', async () => {
  const id = newId('dlv');
  await storeTask('task_told');
  await inTransaction(gateway.db, (client) =>
    insertDeliveries(client, [
      {
        id,
        tenant_id: 'default',
        task_id: 'task_told',
        session_id: null,
        url: 'https://example.com/hook',
        event: 'task.completed',
        payload: {},
      },
    ]),
  );
  const attempt = {
    number: 1,
    at: '2026-11-16T12:00:00.000Z',
    status: 503,
    error: 'answered 503',
    duration_ms: 40,
    next_at: '2026-11-16T12:00:02.000Z',
  };
  await database.rows('UPDATE deliveries SET attempts = $2 WHERE id = $1', [
    id,
    JSON.stringify([attempt]),
  ]);
  const listed = await user.request('GET', '/api/tasks/task_told/deliveries');
  expect(listed.status).toBe(200);
  expect(listed.body).toEqual({
    items: [
      {
        id,
        task_id: 'task_told',
        url: 'https://example.com/hook',
        event: 'task.completed',
        status: 'pending',
        attempts: [attempt],
        created_at: expect.any(String),
        ended_at: null,
      },
    ],
  });
  for (const [client, task] of [[stranger, 'task_told'] as const, [user, 'task_none'] as const]) {
    const answer = await client.request('GET', `/api/tasks/${task}/deliveries`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  }
  await storeTask('task_quiet');
  const none = await user.request('GET', '/api/tasks/task_quiet/deliveries');
  expect(none.body).toEqual({ items: [] });
});

test('admins see and replace the secret of their own tenant, and no log shows it', async () => {
  const path = '/api/webhooks/secret';
  expect((await user.request('GET', path)).status).toBe(403);
  expect((await user.request('POST', `${path}/rotate`)).status).toBe(403);
  const first = await admin.request('GET', path);
  expect(first.status).toBe(200);
  expect(first.headers.get('cache-control')).toBe('no-store');
  expect(first.body).toMatchObject({ secret: expect.stringMatching(/^whsec_.{43}$/) });
  expect((await admin.request('GET', path)).body).toEqual(first.body);
  const foreign = await stranger.request('GET', path);
  expect(foreign.body).not.toEqual(first.body);

  const rotated = await admin.request('POST', `${path}/rotate`);
  expect(rotated.status).toBe(200);
  expect(rotated.headers.get('cache-control')).toBe('no-store');
  expect(rotated.body).not.toEqual(first.body);
  expect((await admin.request('GET', path)).body).toEqual(rotated.body);
  expect((await stranger.request('GET', path)).body).toEqual(foreign.body);
  const audit = await admin.request('GET', '/api/admin/audit');
  expect(audit.body).toMatchObject({
    items: [{ actor: admin.key_id, action: 'webhook_secret.rotate', target: 'default' }],
  });
  expect(JSON.stringify(audit.body)).not.toContain('whsec_');
});
