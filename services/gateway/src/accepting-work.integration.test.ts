import { sessionSchema, taskSchema } from '@loom/shared/api';
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
  stranger = await gateway.client(['admin'], 'other');
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

const plan = { subtasks: [{ id: 'a', description: 'do a' }] };

it('creates one task of many equal requests and gives the same answer again', async () => {
  const headers = { 'idempotency-key': 'same' };
  const body = { goal: 'once', metadata: { b: 1, a: [1, { d: 2, c: 3 }] } };
  const spelled = { metadata: { a: [1, { c: 3, d: 2 }], b: 1 }, goal: 'once' };
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      user.request('POST', '/api/tasks', i % 2 === 0 ? body : spelled, headers),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toSatisfy((statuses: Set<number>) =>
    [...statuses].every((status) => status === 202 || status === 409),
  );
  const rows = await database.rows(`SELECT id FROM tasks WHERE goal = 'once'`);
  expect(rows).toHaveLength(1);
  const accepted = answers.find(({ status }) => status === 202);
  const replayed = await user.request('POST', '/api/tasks', body, headers);
  expect(replayed.headers.get('idempotency-replayed')).toBe('true');
  expect(replayed.body).toEqual(accepted?.body);
  const other = await user.request('POST', '/api/tasks', { goal: 'else' }, headers);
  expect(other.body).toMatchObject({ status: 422, code: 'idempotency_mismatch' });
  expect((await stranger.request('POST', '/api/tasks', { goal: 'else' }, headers)).status).toBe(
    202,
  );
});

it('answers a replay as it first did, though the task has moved on', async () => {
  const headers = { 'idempotency-key': 'moved' };
  const first = await user.request('POST', '/api/tasks', { goal: 'move', plan }, headers);
  const task = taskSchema.parse(first.body);
  expect((await user.request('POST', `/api/tasks/${task.id}/abort`)).body).toMatchObject({
    status: 'cancelled',
  });
  const again = await user.request('POST', '/api/tasks', { goal: 'move', plan }, headers);
  expect(again.body).toEqual(first.body);
  const replay = await user.getReplay(task.id);
  expect(replay).toMatchObject({
    matches: true,
    differences: [],
    state: { status: 'cancelled' },
  });
});

it('makes a workspace inside a root and finds its sessions by any spelling', async () => {
  const answer = await user.request('POST', '/api/sessions', {
    workspace: 'deep/er',
    title: 't',
  });
  const session = sessionSchema.parse(answer.body);
  expect(session.workspace).toBe(`${gateway.root}/deep/er`);
  for (const spelling of ['deep/er', `${gateway.root}/deep/../deep/er/`]) {
    const path = `/api/sessions?workspace=${encodeURIComponent(spelling)}`;
    expect((await user.request('GET', path)).body).toMatchObject({ items: [{ id: session.id }] });
  }
});

it('shows the limits and grants of a session, and replaces the limits', async () => {
  const grants = { tools: ['write_file'] };
  const session = await user.createSession({ budget: { max_tokens: 100 }, grants });
  expect(session).toMatchObject({ budget: { max_tokens: 100 }, grants });
  const path = `/api/sessions/${session.id}/budget`;
  const budget = { max_tokens: 500, max_cost_usd: 1.5 };
  const changed = await user.request('POST', path, { budget });
  expect(changed).toMatchObject({ status: 200, body: { id: session.id, budget, grants } });
  expect((await stranger.request('POST', path, { budget })).status).toBe(404);
  expect((await user.request('POST', path, { budget: { max_tokens: -1 } })).status).toBe(422);
  await user.request('POST', `/api/sessions/${session.id}/end`);
  expect((await user.request('POST', path, { budget })).body).toMatchObject({
    status: 409,
    code: 'session_ended',
  });
});

it('gives a task its session’s way of asking, unless it names its own', async () => {
  const { id } = await user.createSession({ approval_mode: 'manual' });
  const task = (more: object) => user.createTask({ goal: 'x', session_id: id, ...more });
  expect(await task({})).toMatchObject({ approval_mode: 'manual' });
  expect(await task({ approval_mode: 'disabled' })).toMatchObject({ approval_mode: 'disabled' });
  expect(await user.createTask({ goal: 'x' })).toMatchObject({ approval_mode: 'auto' });
});

it('keeps the phases and the policy that a task was asked for', async () => {
  const phases = [{ id: 'a', description: 'do a' }];
  const policyOf = async (body: object) => {
    const { id } = await user.createTask({ goal: 'x', ...body });
    const [row] = await database.rows<{ policy: Record<string, unknown> }>(
      'SELECT policy FROM policies JOIN tasks ON policy_id = policies.id WHERE tasks.id = $1',
      [id],
    );
    return row?.policy;
  };
  expect(await policyOf({})).toMatchObject({ phase_mode: null, phases: [] });
  expect(await policyOf({ phases })).toMatchObject({
    phase_mode: 'guided',
    phases: [{ id: 'a', max_retries: 3 }],
  });
  const strict = { phases, phase_mode: 'strict', critical_path_behavior: 'queue_follow_up' };
  expect(await policyOf(strict)).toMatchObject({
    phase_mode: 'strict',
    critical_path_behavior: 'queue_follow_up',
  });
});

it('stores a message before it answers, and pages through the transcript', async () => {
  const session = await user.createSession();
  for (const content of ['one', 'two', 'three']) await user.sendTurn(session.id, content);
  const path = `/api/sessions/${session.id}/messages`;
  const numbers = async (query: string) => {
    const { body } = await user.request('GET', `${path}?${query}`);
    const page = body as { items: { number: number }[]; next_cursor: string | null };
    return [page.items.map(({ number }) => number), page.next_cursor];
  };
  expect(await numbers('')).toEqual([[1, 2, 3], null]);
  expect(await numbers('limit=2')).toEqual([[1, 2], '2']);
  expect(await numbers('after=2')).toEqual([[3], null]);
  expect(await numbers('before=3&limit=1')).toEqual([[2], '2']);
  expect(await numbers('before=99999999999999')).toEqual([[1, 2, 3], null]);
  const found = await user.request('POST', `/api/sessions/${session.id}/recall`, {
    action: 'search',
    query: 'two',
  });
  expect(found.body).toMatchObject({ matches: [{ number: 2, role: 'user', excerpt: 'two' }] });
  expect((await user.request('POST', `/api/sessions/${session.id}/end`)).body).toMatchObject({
    status: 'ended',
  });
  const late = await user.request('POST', `/api/sessions/${session.id}/turns`, { content: 'x' });
  expect(late.body).toMatchObject({ status: 409, code: 'session_ended' });
});
