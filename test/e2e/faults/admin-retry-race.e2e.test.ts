import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Task } from '@loom/shared/api';
import { createClient } from '@loom/testing/api-client';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { type EffectRecorder, startEffectRecorder } from '@loom/testing/effect-recorder';
import { onFileEnd } from '@loom/testing/file-end';
import { checkInvariants } from '@loom/testing/invariants';
import { type RequestGate, startRequestGate } from '@loom/testing/request-gate';
import { startLoom } from '@loom/testing/run-loom';
import { fault } from '@loom/testing/scripted-model/replies';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultCount } from './fault-counts.ts';
import { poisonableEnv, poisonedReply } from './poison.ts';
import { supervise } from './supervisor.ts';

// Fewer than usual, so that work is given up sooner.
const max_starts = 2;

/** Someone who runs the installation, with a key of his own. */
interface Operator {
  id: string;
  key: string;
}

let model: ScriptedModel;
let recorder: EffectRecorder;
let cluster: Cluster;
let gate: RequestGate;
let operators: { api: Operator; cli: Operator; dashboard: Operator };
let cookie: string;
/** Holds no configuration of anyone's. */
let directory: string;

beforeAll(async () => {
  model = await startScriptedModel();
  recorder = await startEffectRecorder();
  useBrain();
  cluster = await startCluster({
    model,
    env: poisonableEnv,
    config: {
      execution: {
        lease_seconds: 1.5,
        sweep_interval_seconds: 0.2,
        ring_again_seconds: 1,
        max_starts,
      },
    },
  });
  gate = await startRequestGate(cluster.gateways[0] ?? '');
  const [api, cli, dashboard] = await Promise.all(['api', 'cli', 'dashboard'].map(newOperator));
  operators = { api, cli, dashboard } as typeof operators;
  cookie = await signIn(operators.dashboard);
  directory = await mkdtemp(join(tmpdir(), 'loom-cli-'));
  onFileEnd(() => rm(directory, { recursive: true, force: true }));
}, 120_000);
afterAll(() => cluster.stop());

function useBrain(): void {
  model.useWorkingBrain({
    executorCalls: () => [
      { name: 'shell_execute', arguments: { command: recorder.command('effect') } },
    ],
  });
}

async function newOperator(name: string): Promise<Operator> {
  return (await cluster.client.post('/api/admin/keys', { name, scopes: ['admin'] })) as Operator;
}

/** Signs a browser in and returns its cookie. */
async function signIn({ key }: Operator): Promise<string> {
  const response = await fetch(`${gate.url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

const byCli = (...args: string[]) =>
  startLoom(['retry', ...args], {
    cwd: directory,
    env: { LOOM_URL: gate.url, LOOM_API_KEY: operators.cli.key },
  }).done.then(({ code }) => code === 0);

const byApi = async (path: string) => {
  const client = createClient({ url: gate.url, key: operators.api.key });
  const { status } = await client.request('POST', path, {});
  expect([202, 404, 409]).toContain(status);
  return status === 202;
};

const byDashboard = async (jobId: string) => {
  const path = `/admin/queues/api/queues/subtasks/${encodeURIComponent(jobId)}/retry`;
  const { status } = await fetch(gate.url + path, {
    method: 'PUT',
    headers: { cookie, origin: gate.url },
  });
  expect([204, 404, 409]).toContain(status);
  return status === 204;
};

/** Tasks whose first attempt kills its runner each time, until all of them are given up. */
async function makeDeadLetters(count: number): Promise<Task[]> {
  const { client } = cluster;
  const created = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const description = `Write part ${index}`;
      for (let start = 0; start < max_starts; start++) {
        model.once({ role: 'executor', prompt: description }, poisonedReply('exit'));
      }
      const subtasks = [{ id: 'part', description, deliverables: ['part.md'] }];
      const workspace = await cluster.newWorkspace();
      return client.createTask({ goal: 'part', workspace, plan: { subtasks } });
    }),
  );
  const { result: failed } = await supervise(cluster.of('runner'), () =>
    Promise.all(created.map(({ id }) => client.waitForTask(id))),
  );
  expect(failed.map(({ subtasks }) => subtasks[0]?.error?.code)).toEqual(
    created.map(() => 'dead_letter'),
  );
  // Those that died beside another still have poison before them.
  model.reset();
  useBrain();
  return failed;
}

test('R20: a dead letter retried by API, CLI and dashboard at once comes back once, and its audit row names who', async () => {
  const { client, database } = cluster;
  for (const { id } of await makeDeadLetters(faultCount({ short: 3, full: 40 }))) {
    const unitId = `${id}.part.1`;
    const { items } = (await client.get('/api/admin/queues/subtasks/jobs?state=failed')) as {
      items: { id: string; unit_id: string }[];
    };
    const jobId = items.find(({ unit_id }) => unit_id === unitId)?.id ?? '';
    gate.gather(/\/retry$/, 3);
    const [api, cli, dashboard] = await Promise.all([
      byApi(`/api/admin/dead-letters/${unitId}/retry`),
      byCli(jobId, '--queue', 'subtasks'),
      byDashboard(jobId),
    ]);
    const winners = Object.entries({ api, cli, dashboard }).filter(([, won]) => won);
    expect(winners).toHaveLength(1);
    const winner = operators[winners[0]?.[0] as keyof typeof operators];
    const task = await client.waitForTask(id);
    expect(task.status).toBe('completed');
    expect(task.subtasks[0]?.attempts.map(({ status }) => status)).toEqual(['failed', 'completed']);
    const retried = (await client.getEvents(id)).filter(({ type }) => type === 'task.retried');
    expect(retried.map(({ data }) => data.by)).toEqual([winner.id]);
    const audit = await database.rows<{ actor: string; action: string }>(
      `SELECT actor, action FROM audit_log WHERE target = $1`,
      [unitId],
    );
    expect(audit).toEqual([{ actor: winner.id, action: 'unit.retry' }]);
  }
  await checkInvariants({ ...cluster, recorder });
}, 300_000);

test('R20: a failed task retried by API and CLI at once is tried once more', async () => {
  const { client } = cluster;
  for (let rounds = faultCount({ short: 1, full: 20 }); rounds > 0; rounds--) {
    const plan = { subtasks: [{ id: 'part', description: 'Write it', max_retries: 0 }] };
    model.once('executor', fault({ kind: 'status', status: 400 }));
    const { id } = await client.createTask({
      goal: 'part',
      workspace: await cluster.newWorkspace(),
      plan,
    });
    expect((await client.waitForTask(id)).status).toBe('failed');
    gate.gather(/\/retry$/, 4);
    const told = await Promise.all([
      byApi(`/api/tasks/${id}/retry`),
      byApi(`/api/tasks/${id}/subtasks/part/retry`),
      byCli(id),
      byCli(id, 'part'),
    ]);
    expect(told).toContain(true);
    const task = await client.waitForTask(id);
    expect(task.status).toBe('completed');
    expect(task.subtasks[0]?.attempts.map(({ status }) => status)).toEqual(['failed', 'completed']);
    const retried = (await client.getEvents(id)).filter(({ type }) => type === 'task.retried');
    expect(retried).toHaveLength(1);
    expect([operators.api.id, operators.cli.id]).toContain(retried[0]?.data.by);
  }
  await checkInvariants({ ...cluster, recorder });
}, 300_000);
