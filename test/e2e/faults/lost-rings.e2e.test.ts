import { randomUUID } from 'node:crypto';
import { openQueueBackend } from '@loom/queue/queue-backend';
import { createRinger } from '@loom/queue/ringer';
import { createLogger } from '@loom/shared/logger';
import type { QueueName } from '@loom/shared/queues';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { type EffectRecorder, startEffectRecorder } from '@loom/testing/effect-recorder';
import { checkInvariants } from '@loom/testing/invariants';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultCount, seededChoice } from './fault-counts.ts';

const queue_prefix = `lost-rings-${randomUUID().slice(0, 8)}`;
let model: ScriptedModel;
let recorder: EffectRecorder;
let cluster: Cluster;

beforeAll(async () => {
  model = await startScriptedModel();
  recorder = await startEffectRecorder();
  model.useWorkingBrain({
    subtasks: 2,
    executorCalls: () => [
      { name: 'shell_execute', arguments: { command: recorder.command('effect') } },
    ],
  });
  cluster = await startCluster({
    model,
    gateways: 2,
    config: {
      execution: {
        lease_seconds: 2,
        sweep_interval_seconds: 0.2,
        ring_again_seconds: 1,
        queue_prefix,
      },
    },
  });
}, 120_000);
afterAll(() => cluster.stop());

test('R14: a gateway killed between commit and ring loses nothing it accepted', async () => {
  const { client } = cluster;
  const [doomed] = cluster.of('gateway');
  for (let rounds = faultCount({ short: 2, full: 100 }); rounds > 0; rounds--) {
    // The first transaction of a gateway is the one that accepts the task.
    await doomed?.restart({ LOOM_FAULT: 'commit.after:1' });
    const key = { 'idempotency-key': randomUUID() };
    const workspace = await cluster.newWorkspace();
    // The client sees a broken connection and asks the other gateway, with the same key.
    const { id } = await client.createTask({ goal: 'accepted', workspace }, key);
    const { signal } = (await doomed?.exited) ?? {};
    expect(signal).toBe('SIGKILL');
    expect((await client.waitForTask(id)).status).toBe('completed');
    const [{ count } = { count: 0 }] = await cluster.database.rows<{ count: number }>(
      'SELECT count(*)::int AS count FROM tasks WHERE workspace = $1',
      [workspace],
    );
    expect(count).toBe(1);
  }
  await doomed?.restart({ LOOM_FAULT: '' });
  await checkInvariants({ ...cluster, recorder });
}, 120_000);

test('R15: every job delivered many times and out of order is worked on once', async () => {
  const choose = seededChoice('R15');
  const { client, database } = cluster;
  const logger = createLogger({ level: 'silent', name: 'test' });
  const backend = await openQueueBackend({
    redis_url: cluster.redis?.url ?? null,
    database_url: database.url,
    prefix: queue_prefix,
    logger,
  });
  const ringer = createRinger(backend, logger);
  const tasks = await Promise.all(
    Array.from({ length: faultCount({ short: 8, full: 100 }) }, async (_, index) =>
      client.createTask({ goal: `task ${index}`, workspace: await cluster.newWorkspace() }),
    ),
  );
  let running = true;
  const ended = Promise.all(
    tasks.map(({ id }) => client.waitForTask(id, { timeoutMs: 60_000 })),
  ).finally(() => {
    running = false;
  });
  while (running) {
    const units = await database.rows<{ id: string; queue: QueueName; epoch: number }>(
      'SELECT id, queue, epoch FROM units',
    );
    const again = units
      .flatMap((unit) => [unit, { ...unit, epoch: choose(unit.epoch + 2) }])
      .sort(() => choose(3) - 1);
    for (const { id, queue, epoch } of again) {
      // An id of its own each time, so that the queue does not take two for one.
      await ringer.queue(queue).add(queue, { unit_id: id, epoch }, { jobId: randomUUID() });
    }
  }
  expect((await ended).map(({ status }) => status)).toEqual(tasks.map(() => 'completed'));
  const attempts = await database.rows('SELECT 1 FROM attempts WHERE number > 1');
  expect(attempts).toEqual([]);
  await checkInvariants({ ...cluster, recorder });
  await ringer.close();
  await backend.close();
}, 120_000);

test('R07: a flushed Redis loses no work', async ({ skip }) => {
  const { client, redis } = cluster;
  if (redis === null) skip('the queues are on Postgres here');
  const gate = model.hold('planner');
  const tasks = await Promise.all(
    Array.from({ length: 5 }, async (_, index) =>
      client.createTask({ goal: `task ${index}`, workspace: await cluster.newWorkspace() }),
    ),
  );
  await gate.arrived;
  const control = new Redis(redis?.url ?? '');
  await control.flushall();
  gate.release();
  const ended = await Promise.all(
    tasks.map(({ id }) => client.waitForTask(id, { timeoutMs: 60_000 })),
  );
  expect(ended.map(({ status }) => status)).toEqual(tasks.map(() => 'completed'));
  await control.quit();
  await checkInvariants({ ...cluster, recorder });
}, 120_000);

test('R27: an Idempotency-Key makes one unit, however often it is sent', async () => {
  const { client } = cluster;
  const workspace = await cluster.newWorkspace();
  const key = randomUUID();
  const send = (body: unknown, extra: Record<string, string> = {}) =>
    client.request('POST', '/api/tasks', body, { 'idempotency-key': key, ...extra });
  const body = { goal: 'once', workspace };
  const answers = await Promise.all(Array.from({ length: 100 }, () => send(body)));
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].filter((status) => status !== 202 && status !== 409)).toEqual([]);
  const ids = new Set(
    answers
      .filter(({ status }) => status === 202)
      .map((answer) => (answer.body as { id: string }).id),
  );
  expect(ids.size).toBe(1);
  const replay = await send(body);
  expect(replay.status).toBe(202);
  expect(replay.headers.get('idempotency-replayed')).toBe('true');
  expect((await send({ ...body, goal: 'twice' })).status).toBe(422);
  const other = (await client.post('/api/admin/keys', {
    name: 'other',
    scopes: ['user'],
    tenant: 'other',
  })) as { key: string };
  const foreign = await send(body, { authorization: `Bearer ${other.key}` });
  expect(foreign.status).toBe(202);
  expect(ids.has((foreign.body as { id: string }).id)).toBe(false);
  await client.waitForTask([...ids][0] ?? '');
}, 60_000);
