import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './test-support/test-gateway.ts';
import { claimUnit, finishUnit } from './test-support/work-on-task.ts';

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

const plan = {
  subtasks: [
    { id: 'a', description: 'do a' },
    { id: 'b', description: 'do b', depends_on: ['a'] },
  ],
};

const newTask = async () => (await user.createTask({ goal: 'x', plan })).id;
const ask = (id: string, action: string, body?: unknown) =>
  user.request('POST', `/api/tasks/${id}/${action}`, body);
const typesOf = async (id: string) => (await user.getEvents(id)).map(({ type }) => type);

describe('a task', () => {
  it('pauses and goes on, as often as it is asked to', async () => {
    const id = await newTask();
    for (let i = 0; i < 2; i++) {
      expect(await ask(id, 'pause')).toMatchObject({ status: 202, body: { status: 'paused' } });
    }
    expect(await ask(id, 'resume', {})).toMatchObject({
      status: 202,
      body: { status: 'running' },
    });
    expect(await ask(id, 'resume')).toMatchObject({
      status: 409,
      body: { code: 'conflict', details: { status: 'running' } },
    });
    const types = await typesOf(id);
    expect(types.filter((type) => type === 'task.paused')).toHaveLength(1);
    expect(types.filter((type) => type === 'task.resumed')).toHaveLength(1);
    expect(await user.getReplay(id)).toMatchObject({ matches: true });
  });

  it('takes new limits when it goes on, and keeps the others', async () => {
    const budget = { max_tokens: 10, max_tool_calls: 3 };
    const { id } = await user.createTask({ goal: 'x', plan, budget });
    await ask(id, 'pause');
    const resumed = await ask(id, 'resume', { budget: { max_tokens: 20 } });
    expect(resumed.body).toMatchObject({ budget: { max_tokens: 20, max_tool_calls: 3 } });
    expect(await ask(id, 'resume', { budget: { max_tokens: -1 } })).toMatchObject({ status: 422 });
  });

  it('hears guidance, with a receipt that the log names', async () => {
    const id = await newTask();
    const receipt = await ask(id, 'steer', { guidance: 'use tea', subtask_id: 'a' });
    expect(receipt).toMatchObject({ status: 202, body: { task_id: id, subtask_id: 'a' } });
    const { receipt_id } = receipt.body as { receipt_id: string };
    const steered = (await user.getEvents(id)).find(({ type }) => type === 'task.steered');
    expect(steered?.data).toMatchObject({ receipt_id, guidance: 'use tea', by: user.key_id });
    expect(await ask(id, 'steer', { guidance: 'x', subtask_id: 'nope' })).toMatchObject({
      status: 404,
    });
    for (const body of [{}, { guidance: '  ' }, { guidance: 'x', more: 1 }]) {
      expect(await ask(id, 'steer', body)).toMatchObject({ status: 422 });
    }
  });

  it('is planned again on request, once it has a plan', async () => {
    const unplanned = await user.createTask({ goal: 'x' });
    expect(await ask(unplanned.id, 'replan')).toMatchObject({
      status: 409,
      body: { code: 'conflict', details: { status: 'queued' } },
    });
    const id = await newTask();
    expect((await ask(id, 'replan', { reason: 'other files' })).status).toBe(202);
    const again = (await user.getEvents(id)).find(({ type }) => type === 'task.replanning');
    expect(again?.data).toMatchObject({ reason: 'requested', plan_version: 1 });
    expect(await user.getTask(id)).toMatchObject({ budget_used: { replans: 1 } });
  });

  it('runs again after its end, with its plan or a new one', async () => {
    const id = await newTask();
    expect(await ask(id, 'retry')).toMatchObject({
      status: 409,
      body: { details: { status: 'running' } },
    });
    await ask(id, 'abort');
    expect(await ask(id, 'retry')).toMatchObject({ status: 202, body: { status: 'running' } });
    await ask(id, 'abort');
    const replanned = await ask(id, 'retry', { reuse_existing_plan: false });
    expect(replanned.status).toBe(202);
    expect(await typesOf(id)).toContain('task.replanning');
    expect(await user.getReplay(id)).toMatchObject({ matches: true });
  });

  it('cannot be driven any further once it has ended', async () => {
    const id = await newTask();
    await ask(id, 'cancel');
    const late: [string, unknown?][] = [
      ['pause'],
      ['resume'],
      ['replan'],
      ['steer', { guidance: 'x' }],
      ['subtasks/a/skip'],
      ['subtasks/a/pause'],
    ];
    for (const [action, body] of late) {
      expect(await ask(id, action, body)).toMatchObject({
        status: 409,
        body: { code: 'already_ended', details: { status: 'cancelled' } },
      });
    }
    for (const action of ['cancel', 'abort']) {
      expect(await ask(id, action)).toMatchObject({ status: 202, body: { status: 'cancelled' } });
    }
  });

  it('takes no wishes while it is being stopped', async () => {
    const id = await newTask();
    await claimUnit(gateway, [id, `${id}.a.1`]);
    expect(await ask(id, 'cancel')).toMatchObject({ body: { status: 'running' } });
    expect(await ask(id, 'steer', { guidance: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', details: { status: 'running', stopping: 'cancel' } },
    });
  });
});

describe('one subtask', () => {
  it('is held back and let go', async () => {
    const id = await newTask();
    expect(await ask(id, 'subtasks/b/resume')).toMatchObject({
      status: 409,
      body: { details: { subtask_id: 'b', status: 'pending' } },
    });
    for (let i = 0; i < 2; i++) expect((await ask(id, 'subtasks/b/pause')).status).toBe(202);
    expect((await ask(id, 'subtasks/b/resume')).status).toBe(202);
    const types = await typesOf(id);
    expect(types.filter((type) => /^subtask\.(paused|resumed)$/.test(type))).toEqual([
      'subtask.paused',
      'subtask.resumed',
    ]);
  });

  it('is skipped once, and runs again with other words and a larger model', async () => {
    const id = await newTask();
    const skipped = await user.controlSubtask([id, 'b'], 'skip', { mode: 'abort' });
    expect(skipped.subtasks[1]).toMatchObject({ id: 'b', status: 'skipped' });
    expect(await ask(id, 'subtasks/b/skip')).toMatchObject({
      status: 409,
      body: { code: 'already_ended', details: { subtask_id: 'b', status: 'skipped' } },
    });
    expect(await ask(id, 'subtasks/a/retry')).toMatchObject({
      status: 409,
      body: { code: 'conflict', details: { subtask_id: 'a', status: 'queued' } },
    });
    for (const body of [{ model_tier: 4 }, { description: '' }, { nope: 1 }]) {
      expect(await ask(id, 'subtasks/b/retry', body)).toMatchObject({ status: 422 });
    }
    const body = { description: 'do b slowly', model_tier: 3 };
    const { subtasks } = await user.controlSubtask([id, 'b'], 'retry', body);
    expect(subtasks[1]).toMatchObject({ status: 'pending', ...body });
    expect(await user.getReplay(id)).toMatchObject({ matches: true });
  });

  it('that failed runs again while the rest goes on', async () => {
    const subtasks = [
      { id: 'a', description: 'a', max_retries: 0 },
      { id: 'b', description: 'b' },
    ];
    const { id } = await user.createTask({ goal: 'x', plan: { subtasks } });
    const unit = await claimUnit(gateway, [id, `${id}.a.1`]);
    const failure = { code: 'tool_failed', message: 'no' };
    const attempt = { subtask_id: 'a', attempt: 1 };
    await finishUnit(gateway, unit, { kind: 'attempt_failed', failure, ...attempt });
    expect((await user.getTask(id)).subtasks[0]).toMatchObject({ status: 'failed' });
    const again = await ask(id, 'subtasks/a/retry');
    expect(again).toMatchObject({ status: 202, body: { subtasks: [{ status: 'queued' }, {}] } });
  });
});

it('drives nobody else’s task', async () => {
  const id = await newTask();
  const actions = ['pause', 'resume', 'replan', 'retry', 'cancel', 'abort'];
  const subtaskActions = ['retry', 'skip', 'pause', 'resume'].map((one) => `subtasks/a/${one}`);
  const paths = [...actions, ...subtaskActions].map((action) => `/api/tasks/${id}/${action}`);
  for (const path of paths) expect((await stranger.request('POST', path)).status).toBe(404);
  const steer = await stranger.request('POST', `/api/tasks/${id}/steer`, { guidance: 'x' });
  expect(steer.status).toBe(404);
  const before = await user.getTask(id);
  expect(before.status).toBe('running');
  expect((await user.request('POST', `/api/tasks/${id}/subtasks/nope/skip`)).status).toBe(404);
});
