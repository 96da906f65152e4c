import { createClient } from '@loom/testing/api-client';
import { parallelPlan } from '@loom/testing/builders';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { checkInvariants } from '@loom/testing/invariants';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultCount } from './fault-counts.ts';

let model: ScriptedModel;
let cluster: Cluster;

beforeAll(async () => {
  model = await startScriptedModel();
  cluster = await startCluster({
    model,
    gateways: 2,
    config: {
      // What waits is rung for again meanwhile.
      execution: { ring_again_seconds: 3 },
      'limits.planner': { concurrency: 2 },
      'limits.runner': { subtasks_concurrency: 2 },
    },
  });
}, 120_000);
afterAll(() => cluster.stop());

test('R26: what one tenant has queued keeps the single task of another waiting at most 5 s', async () => {
  const { client, database } = cluster;
  const created = await client.post('/api/admin/keys', {
    name: 'other',
    scopes: ['user'],
    tenant: 'other',
  });
  const { key } = created as { key: string };
  // The other tenant's task comes in through another process than the many.
  const other = createClient({ url: cluster.gateways.toReversed(), key });
  model.useWorkingBrain({ subtasks: 1, delayMs: 200 });
  // The first task of all waits for processes that have just started, not for other tenants.
  const first = await other.createTask({ goal: 'first', workspace: await cluster.newWorkspace() });
  expect((await other.waitForTask(first.id)).status).toBe('completed');
  const gate = model.hold('any');

  const many = faultCount({ short: 60, full: 1_000 });
  const tasks: { id: string }[] = [];
  while (tasks.length < many) {
    // Half of them bring their plan, so that planners and runners both have a queue before them.
    const next = Array.from({ length: 20 }, async (_, index) =>
      client.createTask({
        goal: 'one of many',
        workspace: await cluster.newWorkspace(),
        ...(index % 2 === 0 ? {} : { plan: parallelPlan(2) }),
      }),
    );
    tasks.push(...(await Promise.all(next)));
  }
  const single = await other.createTask({
    goal: 'a single one',
    workspace: await cluster.newWorkspace(),
  });
  const waiting = await database.rows<{ queue: string; count: number }>(
    `SELECT queue, count(*)::int AS count FROM units WHERE status = 'waiting' GROUP BY queue`,
  );
  gate.release();
  for (const queue of ['plans', 'subtasks']) {
    const behind = waiting.find((line) => line.queue === queue)?.count;
    expect(behind, `waiting ${queue}`).toBeGreaterThan(many / 3);
  }

  const times = new Map<string, number>();
  for await (const event of other.streamEvents(`/api/tasks/${single.id}/events`, { after: '0' })) {
    times.set(event.type, Date.parse(event.at ?? ''));
    if (event.type === 'subtask.started') break;
  }
  const started = (times.get('subtask.started') ?? 0) - (times.get('task.queued') ?? 0);
  console.info(`R26: behind ${many} tasks, the single one started after ${started} ms`);
  expect(started).toBeLessThan(5_000);

  model.reset();
  model.useWorkingBrain({ subtasks: 1 });
  expect((await other.waitForTask(single.id)).status).toBe('completed');
  for (const { id } of tasks) {
    expect((await client.waitForTask(id, { timeoutMs: 300_000 })).status).toBe('completed');
  }
  // Each tenant's tasks are shown to itself alone.
  const others = [first.id, single.id];
  const getReplay = (id: string) => (others.includes(id) ? other : client).getReplay(id);
  await checkInvariants({ ...cluster, client: { ...client, getReplay } });
}, 900_000);
