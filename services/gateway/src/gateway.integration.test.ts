import { createLoginToken } from '@loom/db/read/web-logins';
import { problemSchema } from '@loom/shared/api';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './test-support/test-gateway.ts';

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
  admin = await gateway.client(['admin']);
  stranger = await gateway.client(['admin'], 'other');
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

const plan = { subtasks: [{ id: 'a', description: 'do a' }] };

describe('who may ask', () => {
  it('refuses requests without a valid key and says how to sign in', async () => {
    for (const authorization of ['', 'Bearer nope', 'Basic eA==', `Bearer ${user.key} x`]) {
      const headers = { authorization };
      const response = await fetch(`${gateway.url}/api/sessions`, { headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
      expect(problemSchema.parse(await response.json()).code).toBe('unauthenticated');
    }
  });

  it('keeps admin routes for admins, and shared ones for the operator', async () => {
    expect((await user.request('GET', '/api/admin/queues')).status).toBe(403);
    expect((await admin.request('GET', '/api/admin/queues')).status).toBe(200);
    expect((await stranger.request('POST', '/api/admin/queues/turns/pause')).status).toBe(403);
    const key = { name: 'x', scopes: ['user'], tenant: 'default' };
    expect((await stranger.request('POST', '/api/admin/keys', key)).status).toBe(403);
  });

  it('makes a key that works until it is revoked, and lists it without its text', async () => {
    const made = await admin.request('POST', '/api/admin/keys', {
      name: 'robot',
      scopes: ['user'],
      tenant: 'acme',
    });
    expect(made.status).toBe(201);
    const { id, key, tenant } = made.body as { id: string; key: string; tenant: string };
    expect(key).toMatch(/^loom_[A-Za-z0-9_-]{43}$/);
    expect(tenant).toBe('acme');
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${gateway.url}/api/me`, { headers })).status).toBe(200);
    const listed = await admin.request('GET', '/api/admin/keys');
    expect(JSON.stringify(listed.body)).toContain(id);
    expect(JSON.stringify(listed.body)).not.toContain(key);
    expect(await database.rows('SELECT 1 FROM api_keys WHERE key_hash = $1', [key])).toEqual([]);
    expect((await stranger.request('DELETE', `/api/admin/keys/${id}`)).status).toBe(404);
    expect((await admin.request('DELETE', `/api/admin/keys/${id}`)).status).toBe(204);
    expect((await fetch(`${gateway.url}/api/me`, { headers })).status).toBe(401);
    const audit = await admin.request('GET', '/api/admin/audit');
    expect(audit.body).toMatchObject({
      items: [
        { actor: admin.key_id, action: 'key.revoke', target: id },
        { actor: admin.key_id, action: 'key.create', target: id },
      ],
    });
  });

  it('signs a browser in once by link, and refuses its changes from elsewhere', async () => {
    const token = await createLoginToken(gateway.db, {
      tenant_id: 'default',
      api_key_id: user.key_id,
    });
    const login = `${gateway.url}/login?token=${token}`;
    const first = await fetch(login, { redirect: 'manual' });
    expect(first.status).toBe(302);
    expect(first.headers.get('location')).toBe('/');
    const setCookie = first.headers.get('set-cookie') ?? '';
    expect(setCookie).toMatch(
      /^loom_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const again = await fetch(login, { redirect: 'manual' });
    expect(again.status).toBe(401);
    expect(await again.text()).toContain('works once');

    const cookie = setCookie.split(';')[0] ?? '';
    expect((await fetch(`${gateway.url}/api/me`, { headers: { cookie } })).status).toBe(200);
    const create = (headers: Record<string, string>) =>
      fetch(`${gateway.url}/api/sessions`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', ...headers },
        body: '{}',
      });
    expect((await create({})).status).toBe(403);
    expect((await create({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await create({ origin: gateway.url, 'sec-fetch-site': 'cross-site' })).status).toBe(
      403,
    );
    expect((await create({ origin: gateway.url })).status).toBe(201);
  });

  it('gives a cookie for a key, and shows the dashboard to the operator alone', async () => {
    const signIn = (key: string) =>
      fetch(`${gateway.url}/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key }),
      });
    expect((await signIn('loom_unknown')).status).toBe(401);
    const cookie = (await signIn(admin.key)).headers.get('set-cookie')?.split(';')[0] ?? '';
    const look = (headers: Record<string, string>) =>
      fetch(`${gateway.url}/admin/queues`, { headers, redirect: 'manual' });
    expect((await look({ accept: 'text/html' })).status).toBe(302);
    expect((await look({})).status).toBe(401);
    expect((await look({ authorization: `Bearer ${user.key}` })).status).toBe(403);
    const page = await look({ cookie });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('Loom queues');
    const queues = await fetch(`${gateway.url}/admin/queues/api/queues`, { headers: { cookie } });
    expect(await queues.json()).toMatchObject({ queues: expect.any(Array) });
    const change = (headers: Record<string, string>) =>
      fetch(`${gateway.url}/admin/queues/api/queues/turns/pause`, { method: 'PUT', headers });
    expect((await change({ cookie })).status).toBe(403);
    expect((await change({ cookie, origin: gateway.url })).status).toBe(405);
  });

  it('never shows one tenant what is another’s', async () => {
    const session = await user.createSession();
    const task = await user.createTask({ goal: 'secret' });
    const paths = [
      `/api/sessions/${session.id}`,
      `/api/sessions/${session.id}/messages`,
      `/api/sessions/${session.id}/events`,
      `/api/tasks/${task.id}`,
      `/api/tasks/${task.id}/events`,
      `/api/tasks/${task.id}/replay`,
    ];
    for (const path of paths) expect((await stranger.request('GET', path)).status).toBe(404);
    const posts = [
      `/api/sessions/${session.id}/end`,
      `/api/tasks/${task.id}/cancel`,
      `/api/tasks/${task.id}/retry`,
    ];
    for (const path of posts) expect((await stranger.request('POST', path)).status).toBe(404);
    expect((await stranger.request('GET', '/api/tasks')).body).toMatchObject({ items: [] });
    const foreign = { goal: 'x', session_id: session.id };
    expect((await stranger.request('POST', '/api/tasks', foreign)).status).toBe(404);
  });
});

describe('operation', () => {
  it('retries a dead letter and writes down who asked', async () => {
    const task = await user.createTask({ goal: 'dies', plan });
    const unitId = `${task.id}.a.1`;
    const path = `/api/admin/dead-letters/${unitId}/retry`;
    expect((await admin.request('POST', path)).body).toMatchObject({ status: 409 });
    await database.rows(
      `UPDATE units SET status = 'dead', starts = 3, dead_reason = 'too many starts',
         last_error = 'killed' WHERE id = $1`,
      [unitId],
    );
    const letters = await admin.request('GET', '/api/admin/dead-letters?queue=subtasks');
    expect(letters.body).toMatchObject({
      items: [
        {
          id: unitId,
          queue: 'subtasks',
          unit_id: unitId,
          reason: 'too many starts',
          starts: 3,
          last_error: 'killed',
        },
      ],
    });
    const foreign = await stranger.request('GET', '/api/admin/dead-letters');
    expect(foreign.body).toMatchObject({ items: [] });
    expect((await stranger.request('POST', path)).status).toBe(404);
    expect(await admin.request('POST', path)).toMatchObject({
      status: 202,
      body: { unit_id: unitId },
    });
    const audit = await admin.request('GET', '/api/admin/audit?limit=1');
    expect(audit.body).toMatchObject({
      items: [{ actor: admin.key_id, action: 'unit.retry', target: unitId }],
    });
  });

  it('tells machines how it is', async () => {
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    gateway.setReady(false);
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(503);
    gateway.setReady(true);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain('loom_queue_jobs{queue="turns",state="waiting"}');
    expect(metrics).toContain('route="/api/tasks/:id"');
    const proxied = { 'x-forwarded-for': '192.0.2.1' };
    expect((await fetch(`${gateway.url}/metrics`, { headers: proxied })).status).toBe(401);
  });

  it('documents every route it has', async () => {
    const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/api/sessions/{id}/turns', '/api/tasks/{id}/events', '/healthz']),
    );
    expect(document.paths).toMatchObject({
      '/api/tasks/{id}/steer': { post: { requestBody: { required: true } } },
      '/api/tasks/{id}/resume': { post: { requestBody: { required: false } } },
      '/api/tasks/{id}/evidence': {
        get: {
          responses: { 200: { content: { 'application/json': {}, 'text/csv': {} } } },
        },
      },
    });
    expect(JSON.stringify(document)).not.toContain('#/$defs/');
    expect(await (await fetch(`${gateway.url}/docs`)).text()).toContain('/api/tasks/{id}/replay');
    const page = await fetch(gateway.url);
    expect(await page.text()).toContain('not built');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('pauses a queue and writes down who did it', async () => {
    expect((await admin.request('POST', '/api/admin/queues/plans/pause')).body).toEqual({
      name: 'plans',
      paused: true,
    });
    const { body } = await admin.request('GET', '/api/admin/queues');
    const { items } = body as { items: { name: string; paused: boolean }[] };
    expect(items.find(({ name }) => name === 'plans')?.paused).toBe(true);
    await admin.request('POST', '/api/admin/queues/plans/resume');
    const audit = await admin.request('GET', '/api/admin/audit?limit=1');
    expect(audit.body).toMatchObject({
      items: [{ actor: admin.key_id, action: 'queue.resume', target: 'plans' }],
      next_cursor: expect.any(String),
    });
  });
});
