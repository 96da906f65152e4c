import { type Cluster, startCluster } from '@loom/testing/cluster';
import { type EffectRecorder, startEffectRecorder } from '@loom/testing/effect-recorder';
import { checkInvariants } from '@loom/testing/invariants';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultCount, seededChoice } from './fault-counts.ts';

let model: ScriptedModel;
let recorder: EffectRecorder;
let cluster: Cluster;

beforeAll(async () => {
  model = await startScriptedModel();
  recorder = await startEffectRecorder();
  cluster = await startCluster({
    model,
    runners: 3,
    config: { execution: { lease_seconds: 2, sweep_interval_seconds: 0.3, ring_again_seconds: 2 } },
  });
}, 120_000);
afterAll(() => cluster.stop());

function useBrain(delayMs: number): void {
  model.reset();
  model.useWorkingBrain({
    subtasks: 3,
    delayMs,
    executorCalls: () => [
      { name: 'shell_execute', arguments: { command: recorder.command('effect') } },
    ],
  });
}

test('R01: runners killed at random lose no task, fail none and repeat no effect', async () => {
  const choose = seededChoice('R01');
  useBrain(30);
  const { client } = cluster;
  const tasks = await Promise.all(
    Array.from({ length: faultCount({ short: 12, full: 200 }) }, async (_, index) =>
      client.createTask({ goal: `task ${index}`, workspace: await cluster.newWorkspace() }),
    ),
  );
  const transcripts = tasks.map(({ id }) => client.follow('task', id));
  const waiting = Promise.all(tasks.map(({ id }) => client.waitForTask(id, { timeoutMs: 60_000 })));
  for (let kills = faultCount({ short: 4, full: 50 }); kills > 0; kills--) {
    const runners = cluster.of('runner');
    const victim = runners[choose(runners.length)];
    victim?.kill('SIGKILL');
    await victim?.restart();
  }
  const ended = await waiting;
  expect(ended.filter(({ status }) => status !== 'completed')).toEqual([]);
  await checkInvariants({ ...cluster, recorder, transcripts });
}, 180_000);

test('R04: a frozen runner that wakes up after its leases is refused', async () => {
  useBrain(0);
  const { client } = cluster;
  const [frozen, ...others] = cluster.of('runner');
  for (let rounds = faultCount({ short: 1, full: 20 }); rounds > 0; rounds--) {
    const gate = model.hold('executor');
    await Promise.all(others.map((runner) => runner.stop()));
    const task = await client.createTask({
      goal: 'freeze',
      workspace: await cluster.newWorkspace(),
    });
    await gate.arrivals(3);
    frozen?.kill('SIGSTOP');
    await Promise.all(others.map((runner) => runner.restart()));
    gate.release();
    // Done while the owner sleeps: the others took its units over when the leases ran out.
    const ended = await client.waitForTask(task.id, { timeoutMs: 60_000 });
    expect(ended.status).toBe('completed');
    const before = await client.getEvents(task.id);
    frozen?.kill('SIGCONT');
    // Once it has taken a new task up, it has dealt with the old ones.
    const next = await client.createTask({ goal: 'thaw', workspace: await cluster.newWorkspace() });
    await client.waitForTask(next.id);
    const after = await client.getEvents(task.id);
    expect(after).toEqual(before);
    model.reset();
    useBrain(0);
  }
  await checkInvariants({ ...cluster, recorder });
}, 180_000);
