import type { DeadLetter } from '@loom/shared/api';
import type { JobInfo } from '@loom/shared/queue-admin';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { type EffectRecorder, startEffectRecorder } from '@loom/testing/effect-recorder';
import { checkInvariants } from '@loom/testing/invariants';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultCount, isFullRun } from './fault-counts.ts';
import { poisonableEnv, poisonedReply, poisons } from './poison.ts';
import { supervise } from './supervisor.ts';

const goodCount = faultCount({ short: 10, full: 100 });
let model: ScriptedModel;
let recorder: EffectRecorder;
let cluster: Cluster;

beforeAll(async () => {
  model = await startScriptedModel();
  recorder = await startEffectRecorder();
  cluster = await startCluster({
    model,
    runners: 3,
    env: poisonableEnv,
    config: {
      execution: { lease_seconds: 4, sweep_interval_seconds: 0.3, ring_again_seconds: 2 },
      // Who dies beside poison three times in a row is given up with it; so nobody is beside it.
      'limits.runner': { subtasks_concurrency: 1 },
    },
  });
  for (const poison of poisons) {
    model.on({ role: 'executor', prompt: `Read ${poison}` }, poisonedReply(poison));
  }
  model.useWorkingBrain({
    // Long enough that restarting processes is not most of what there is to do.
    delayMs: isFullRun ? 600 : 50,
    executorCalls: () => [
      { name: 'shell_execute', arguments: { command: recorder.command('effect') } },
    ],
  });
}, 120_000);
afterAll(() => cluster.stop());

test('R19: work that kills whoever does it is given up after three starts, and the rest gets done', async () => {
  const { client } = cluster;
  const alone = isFullRun ? await timeGoodTasks() : null;
  const bad = await Promise.all(
    poisons.map(async (poison) => {
      const subtasks = [
        { id: 'bad', description: `Read ${poison}` },
        { id: 'fine', description: 'Write fine', deliverables: ['fine.md'] },
      ];
      const workspace = await cluster.newWorkspace();
      return client.createTask({ goal: 'poison', workspace, plan: { subtasks } });
    }),
  );
  const transcripts = bad.map(({ id }) => client.follow('task', id));
  const { result, restarts } = await supervise(cluster.of('runner'), async () => {
    const among = await timeGoodTasks();
    const ended = await Promise.all(bad.map(({ id }) => client.waitForTask(id)));
    return { among, ended };
  });
  const { among, ended } = result;
  console.info(`R19: ${goodCount} good tasks took ${among} ms, over ${restarts} restarts`);
  expect(restarts).toBeGreaterThanOrEqual(poisons.length * 3);

  for (const [index, task] of ended.entries()) {
    expect(task.status).toBe('failed');
    expect(task.subtasks.map(({ id, status, error }) => [id, status, error?.code])).toEqual([
      ['bad', 'failed', 'dead_letter'],
      ['fine', 'completed', undefined],
    ]);
    const asked = model.requests.filter(({ prompt }) => prompt.includes(`Read ${poisons[index]}`));
    expect(asked.length).toBeLessThanOrEqual(3);
  }
  const units = ended.map(({ id }) => `${id}.bad.1`).sort();
  const letters = await list<DeadLetter>('/api/admin/dead-letters');
  expect(letters.map(({ unit_id }) => unit_id).sort()).toEqual(units);
  for (const letter of letters) {
    expect(letter).toMatchObject({ starts: 3, reason: expect.stringMatching(/\w{3,}/) });
    expect(letter.last_error).toContain('silent');
  }
  const jobs = await list<JobInfo>('/api/admin/queues/subtasks/jobs?state=failed');
  expect([...new Set(jobs.map(({ unit_id }) => unit_id))].sort()).toEqual(units);
  await checkInvariants({ ...cluster, recorder, transcripts });

  if (alone === null) return;
  const throughput = alone / among;
  console.info(`R19: alone ${alone} ms, so ${Math.round(throughput * 100)} % of the throughput`);
  expect(throughput).toBeGreaterThanOrEqual(0.8);
}, 600_000);

async function list<T>(path: string): Promise<T[]> {
  return ((await cluster.client.get(path)) as { items: T[] }).items;
}

/** Runs the good tasks to their end and returns how long that took. */
async function timeGoodTasks(): Promise<number> {
  const { client } = cluster;
  const begun = Date.now();
  const tasks = await Promise.all(
    Array.from({ length: goodCount }, async (_, index) =>
      client.createTask({ goal: `good ${index}`, workspace: await cluster.newWorkspace() }),
    ),
  );
  const ended = await Promise.all(
    tasks.map(({ id }) => client.waitForTask(id, { timeoutMs: 300_000 })),
  );
  expect(ended.filter(({ status }) => status !== 'completed')).toEqual([]);
  return Date.now() - begun;
}
