import { once } from 'node:events';
import { connect } from 'node:net';
import { problemSchema } from '@loom/shared/api';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './test-support/test-gateway.ts';

let database: TestDatabase;
let gateway: TestGateway;
let admin: Awaited<ReturnType<TestGateway['client']>>;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database);
  admin = await gateway.client(['admin']);
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
const plan = '{"subtasks":[{"id":"a","description":"a","tools":["\\u0000"]}]}';
const forged = Buffer.from('["2026-99-99T00:00:00.000Z","x"]').toString('base64url');

const bodies: [what: string, path: string, body: string, status: number, code: string][] = [
  ['nothing', '/api/tasks', '', 422, 'invalid_request'],
  ['half of it', '/api/tasks', '{"goal":', 400, 'malformed_request'],
  ['a list', '/api/tasks', '[]', 422, 'invalid_request'],
  ['null', '/api/tasks', 'null', 422, 'invalid_request'],
  ['nesting', '/api/tasks', `{"goal":"x","context":{"a":${deep}}}`, 422, 'invalid_request'],
  ['too much', '/api/tasks', `{"goal":"${'x'.repeat(200_000)}"}`, 413, 'payload_too_large'],
  ['NUL', '/api/tasks', '{"goal":"a\\u0000b"}', 422, 'invalid_request'],
  ['NUL in an id', '/api/tasks', '{"goal":"x","session_id":"\\u0000"}', 422, 'invalid_request'],
  ['NUL in a plan', '/api/tasks', `{"goal":"x","plan":${plan}}`, 422, 'invalid_request'],
  ['half a character', '/api/tasks', '{"goal":"\\ud800"}', 422, 'invalid_request'],
  ['half in a name', '/api/tasks', '{"goal":"x","context":{"\\udc00":1}}', 422, 'invalid_request'],
  ['blanks', '/api/tasks', '{"goal":"  "}', 422, 'invalid_request'],
  ['an unknown field', '/api/tasks', '{"goal":"x","nope":1}', 422, 'invalid_request'],
  ['infinity', '/api/tasks', '{"goal":"x","context":{"a":1e999}}', 422, 'invalid_request'],
  ['a prototype', '/api/tasks', '{"goal":"x","__proto__":{"a":1}}', 422, 'invalid_request'],
  ['a process', '/api/tasks', '{"goal":"x","process":"p"}', 422, 'invalid_request'],
  ['no session', '/api/tasks', '{"goal":"x","session_id":"ses_1"}', 404, 'not_found'],
  ['no URL', '/api/tasks', '{"goal":"x","callback_url":"nope"}', 422, 'invalid_request'],
  [
    'loopback',
    '/api/tasks',
    '{"goal":"x","callback_url":"http://127.0.0.1/"}',
    422,
    'invalid_request',
  ],
  [
    'a file',
    '/api/tasks',
    '{"goal":"x","callback_url":"file:///etc/passwd"}',
    422,
    'invalid_request',
  ],
  ['no phases', '/api/tasks', '{"goal":"x","phase_mode":"strict"}', 422, 'invalid_request'],
  ['a phase', '/api/tasks', '{"goal":"x","phases":[{"id":"a"}]}', 422, 'invalid_plan'],
  ['a mode', '/api/tasks', '{"goal":"x","approval_mode":"never"}', 422, 'invalid_request'],
  ['a budget', '/api/tasks', '{"goal":"x","budget":{"max_money":1}}', 422, 'invalid_request'],
  ['no guidance', '/api/tasks/task_1/steer', '{}', 422, 'invalid_request'],
  ['no limits', '/api/sessions/ses_1/budget', '{}', 422, 'invalid_request'],
  ['a bare budget', '/api/tasks/task_1/resume', '{"budget":5}', 422, 'invalid_request'],
  ['no decision', '/api/approvals/apr_1', '{}', 422, 'invalid_request'],
  ['elsewhere', '/api/tasks', '{"goal":"x","workspace":"/etc"}', 422, 'workspace_invalid'],
  ['above', '/api/sessions', '{"workspace":"../.."}', 422, 'workspace_invalid'],
  ['a long way', '/api/sessions', `{"workspace":"${'x'.repeat(300)}"}`, 422, 'workspace_invalid'],
  ['no model', '/api/sessions', '{"model":"gpt-99"}', 422, 'invalid_request'],
  ['nowhere', '/api/sessions/ses_1/turns', '{"content":"x"}', 404, 'not_found'],
  ['no recall', '/api/sessions/ses_1/recall', '{"action":"summary"}', 404, 'not_found'],
  ['busy', '/api/sessions/s/turns', '{"content":"x","if_busy":"wait"}', 422, 'invalid_request'],
  ['a scope', '/api/admin/keys', '{"name":"x","scopes":["root"]}', 422, 'invalid_request'],
  [
    'a tenant',
    '/api/admin/keys',
    '{"name":"x","scopes":["user"],"tenant":"A B"}',
    422,
    'invalid_request',
  ],
];

it.each(bodies)('refuses a body: %s', async (_what, path, body, status, code) => {
  expect(await send('POST', path, { body })).toEqual({ status, code });
});

const requests: [method: string, path: string, status: number, code: string][] = [
  ['GET', '/api/nothing', 404, 'not_found'],
  ['GET', '/nothing', 404, 'not_found'],
  ['DELETE', '/api/sessions', 405, 'method_not_allowed'],
  ['GET', '/api/tasks?status=lost', 422, 'invalid_request'],
  ['GET', '/api/tasks?limit=0', 422, 'invalid_request'],
  ['GET', '/api/tasks?limit=201', 422, 'invalid_request'],
  ['GET', '/api/tasks?limit=-1', 422, 'invalid_request'],
  ['GET', '/api/tasks?cursor=%00%ff', 422, 'invalid_request'],
  ['GET', `/api/sessions?cursor=${forged}`, 422, 'invalid_request'],
  ['GET', '/api/sessions?workspace=%00', 422, 'invalid_request'],
  ['GET', '/api/tasks?session_id=%00', 422, 'invalid_request'],
  ['GET', '/api/tasks/%00', 404, 'not_found'],
  ['GET', '/api/tasks/%zz', 404, 'not_found'],
  ['GET', `/api/tasks/${'x'.repeat(2_000)}`, 404, 'not_found'],
  ['GET', '/api/tasks/task_1/events', 404, 'not_found'],
  ['GET', '/api/sessions/ses_1/messages?after=x', 422, 'invalid_request'],
  ['POST', '/api/tasks/task_1/cancel', 404, 'not_found'],
  ['POST', '/api/tasks/task_1/subtasks/a/retry', 404, 'not_found'],
  ['POST', '/api/tasks/task_1/subtasks/a/skip', 404, 'not_found'],
  ['POST', '/api/tasks/task_1/pause', 404, 'not_found'],
  ['POST', '/api/tasks/task_1/resume', 404, 'not_found'],
  ['POST', '/api/tasks/task_1/replan', 404, 'not_found'],
  ['GET', '/api/tasks/task_1/evidence', 404, 'not_found'],
  ['GET', '/api/tasks/task_1/evidence.csv', 404, 'not_found'],
  ['GET', '/api/tasks/task_1/actions', 404, 'not_found'],
  ['GET', '/api/tasks/task_1/actions?cursor=x', 404, 'not_found'],
  ['GET', '/api/approvals/apr_1', 404, 'not_found'],
  ['GET', '/api/approvals?status=open', 422, 'invalid_request'],
  ['POST', '/api/sessions/ses_1/turns/turn_1/cancel', 404, 'not_found'],
  ['GET', '/api/admin/queues/nope/jobs', 404, 'not_found'],
  ['GET', '/api/admin/queues/turns/jobs?state=lost', 422, 'invalid_request'],
  ['GET', '/api/admin/queues/turns/jobs?cursor=x', 422, 'invalid_request'],
  ['POST', '/api/admin/queues/turns/jobs/a:b/retry', 404, 'not_found'],
  ['POST', '/api/admin/dead-letters/task_1.a.1/retry', 404, 'not_found'],
  ['DELETE', '/api/admin/keys/key_1', 404, 'not_found'],
];

it.each(requests)('refuses %s %s', async (method, path, status, code) => {
  expect(await send(method, path, {})).toEqual({ status, code });
});

it('refuses what is no JSON, no text, or no key', async () => {
  const path = '/api/tasks';
  const body = '{"goal":"x"}';
  const typed = { body, headers: { 'content-type': 'text/plain' } };
  expect(await send('POST', path, typed)).toMatchObject({ status: 415 });
  const bytes = new Uint8Array([0x22, 0xff, 0x22]);
  expect(await send('POST', path, { body: bytes })).toMatchObject({ status: 400 });
  for (const key of ['a b', 'é', 'x'.repeat(256)]) {
    const keyed = { body, headers: { 'idempotency-key': key } };
    expect(await send('POST', path, keyed)).toMatchObject({ status: 422 });
  }
  expect(await database.rows('SELECT id FROM tasks')).toEqual([]);
});

it('counts a body of unknown size', async () => {
  const stream = (pull: (controller: ReadableStreamDefaultController) => void) =>
    ({ body: new ReadableStream({ pull }), duplex: 'half' }) as RequestInit;
  const blanks = new TextEncoder().encode(' '.repeat(10_000));
  const endless = stream((controller) => controller.enqueue(blanks));
  expect(await send('POST', '/api/tasks', endless)).toMatchObject({ status: 413 });
  const small = stream((controller) => {
    controller.enqueue(new TextEncoder().encode('{"goal":7}'));
    controller.close();
  });
  expect(await send('POST', '/api/tasks', small)).toMatchObject({ status: 422 });
});

it('names each subtask of a plan that cannot run', async () => {
  const subtasks = [
    { id: 'a', description: 'a', depends_on: ['b'] },
    { id: 'b', description: 'b', depends_on: ['a'] },
  ];
  const cycle = await admin.request('POST', '/api/tasks', { goal: 'x', plan: { subtasks } });
  expect(cycle.body).toMatchObject({
    status: 422,
    code: 'invalid_plan',
    errors: [
      { subtask_id: 'a', code: 'cycle' },
      { subtask_id: 'b', code: 'cycle' },
    ],
  });
  for (const broken of ['', 7, [], {}, { subtasks: [] }, { subtasks: [null] }, { subtasks: {} }]) {
    const refused = await admin.request('POST', '/api/tasks', { goal: 'x', plan: broken });
    expect(refused.body).toMatchObject({ code: 'invalid_plan', status: 422 });
  }
});

it('names each phase that cannot be planned with', async () => {
  const phases = [
    { id: 'a', description: 'a', depends_on: ['b'] },
    { id: 'a', description: 'again' },
  ];
  const refused = await admin.request('POST', '/api/tasks', { goal: 'x', phases });
  expect(refused.body).toMatchObject({
    status: 422,
    code: 'invalid_plan',
    errors: expect.arrayContaining([
      expect.objectContaining({ subtask_id: 'a', code: 'duplicate_id', path: 'phases.a' }),
      expect.objectContaining({ subtask_id: 'a', code: 'unknown_dependency' }),
    ]),
  });
});

it('limits how often one key may ask', async () => {
  const small = await startTestGateway(database, { rate_limit_per_minute: 3 });
  try {
    const client = await small.client(['user']);
    for (let i = 0; i < 3; i++) expect((await client.request('GET', '/api/me')).status).toBe(200);
    const refused = await client.request('GET', '/api/me');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  } finally {
    await small.close();
  }
});

async function send(method: string, path: string, init: RequestInit) {
  const headers = {
    authorization: `Bearer ${admin.key}`,
    ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(init.headers as Record<string, string>),
  };
  const response = await fetch(`${gateway.url}${path}`, { method, ...init, headers });
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = problemSchema.parse(await response.json());
  expect(problem.request_id).toBe(response.headers.get('x-request-id'));
  if (response.status === 405) expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
  return { status: response.status, code: problem.code };
}

it.each([
  ['announced', 'content-length: 16000000', 16_000_000],
  ['not announced', 'transfer-encoding: chunked\r\n\r\nf42400', 16_000_000],
])('hears a sender out whose body is too large and its size %s', async (_size, head, bytes) => {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  const answer = once(socket, 'data');
  const send = (data: string | Buffer) =>
    new Promise<void>((resolve, reject) => {
      socket.write(data, (error) => (error ? reject(error) : resolve()));
    });
  await send(
    `POST /api/tasks HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${admin.key}\r\ncontent-type: application/json\r\n${head}\r\n`,
  );
  if (!head.includes('chunked')) await send('\r\n');
  for (let sent = 0; sent < bytes; sent += 100_000) await send(Buffer.alloc(100_000, 'x'));
  expect(String((await answer)[0])).toMatch(/^HTTP\/1.1 413 /);
  socket.destroy();
});
