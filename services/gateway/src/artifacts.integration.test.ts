import { storeArtifact } from '@loom/db/artifacts/store-artifact';
import type { ArtifactKind } from '@loom/shared/tool';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './test-support/test-gateway.ts';

type Client = Awaited<ReturnType<TestGateway['client']>>;

let database: TestDatabase;
let gateway: TestGateway;
let user: Client;
let stranger: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database);
  user = await gateway.client(['user']);
  stranger = await gateway.client(['user'], 'other');
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

async function store(taskId: string, name: string, kind: ArtifactKind, mime: string, text: string) {
  const unit = {
    unit_id: `${taskId}.a.1`,
    epoch: 1,
    queue: 'subtasks',
    tenant_id: 'default',
    task_id: taskId,
    subtask_id: 'a',
    attempt: 1,
    session_id: null,
    turn_id: null,
    metered: false,
  } as const;
  const content = Buffer.from(text);
  const artifact = { name, kind, mime, source: 'web_fetch', content };
  return storeArtifact(gateway.db, { unit, call_key: 'k' }, artifact);
}

const newTask = async () => (await user.createTask({ goal: 'x' })).id;
const fetchBytes = (ref: string, method = 'GET') =>
  fetch(`${gateway.url}/api/artifacts/${ref}`, {
    method,
    headers: { authorization: `Bearer ${user.key}` },
  });

it('lists what a task has kept, in pages', async () => {
  const id = await newTask();
  const path = `/api/tasks/${id}/artifacts`;
  expect((await user.request('GET', path)).body).toEqual({ items: [], next_cursor: null });
  const first = await store(id, 'a.txt', 'text', 'text/plain', 'hello');
  const second = await store(id, 'b.pdf', 'pdf', 'application/pdf', '%PDF');
  const { body } = await user.request('GET', `${path}?limit=1`);
  expect(body).toEqual({
    items: [
      {
        ref: first,
        name: 'a.txt',
        kind: 'text',
        mime: 'text/plain',
        size: 5,
        source: 'web_fetch',
        task_id: id,
        subtask_id: 'a',
        turn_id: null,
        created_at: expect.stringMatching(/Z$/),
      },
    ],
    next_cursor: expect.any(String),
  });
  const { next_cursor } = body as { next_cursor: string };
  const rest = await user.request('GET', `${path}?cursor=${next_cursor}`);
  expect(rest.body).toMatchObject({ items: [{ ref: second }], next_cursor: null });
});

it('gives the bytes of an artifact as a file that no browser runs', async () => {
  const script = '<script>alert(1)</script>';
  const ref = await store(await newTask(), 'page.html', 'html', 'text/html', script);
  const response = await fetchBytes(ref);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe(script);
  const headers = Object.fromEntries(response.headers);
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': '25',
    'content-disposition': expect.stringMatching(/^attachment; filename="page.html"/),
    'content-security-policy': expect.stringContaining('sandbox'),
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  });
  const head = await fetchBytes(ref, 'HEAD');
  expect(head.status).toBe(200);
  expect(head.headers.get('content-length')).toBe('25');
  expect(await head.text()).toBe('');
});

it('does not show strangers that there is anything', async () => {
  const task = await newTask();
  const { id: session } = await user.createSession({});
  const ref = await store(task, 'a.txt', 'text', 'text/plain', 'hello');
  const owned = `/api/sessions/${session}/artifacts`;
  expect((await user.request('GET', owned)).body).toEqual({ items: [], next_cursor: null });
  const foreign = [`/api/artifacts/${ref}`, `/api/tasks/${task}/artifacts`, owned];
  for (const path of foreign) {
    const { status, body } = await stranger.request('GET', path);
    expect({ path, status, body }).toMatchObject({ status: 404, body: { code: 'not_found' } });
  }
  expect((await user.request('GET', '/api/artifacts/af_missing')).status).toBe(404);
});
