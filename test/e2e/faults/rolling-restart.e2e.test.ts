import type { WorkerRole } from '@loom/shared/queues';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { type EffectRecorder, startEffectRecorder } from '@loom/testing/effect-recorder';
import { checkInvariants } from '@loom/testing/invariants';
import type { LoomProcess } from '@loom/testing/processes';
import type { ScriptedRequest } from '@loom/testing/scripted-model/request';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import type { Transcript } from '@loom/testing/transcript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultCount, seededChoice } from './fault-counts.ts';

const rounds = faultCount({ short: 1, full: 3 });
const loadAtOnce = faultCount({ short: 1, full: 4 });
const workers: readonly WorkerRole[] = ['runner', 'runner', 'planner', 'verifier'];
const patience = { timeout: 60_000, interval: 20 };
// The others wait while one is stopped and started, and on a busy machine that takes long.
const wait = { timeoutMs: 300_000 };

interface Worker {
  process: LoomProcess;
  /** Whether this process made a model call. */
  asked(request: ScriptedRequest): boolean;
}

let model: ScriptedModel;
let recorder: EffectRecorder;
let cluster: Cluster;
const staff: Worker[] = [];
const transcripts: Transcript[] = [];
/** Resolve with the status in which a task or turn ended. */
const work: Promise<string>[] = [];

beforeAll(async () => {
  model = await startScriptedModel();
  recorder = await startEffectRecorder();
  model.useWorkingBrain({
    subtasks: (goal) => [
      {
        id: 'one',
        description: `First part of ${goal}`,
        deliverables: ['one.md'],
        verification_tier: 2,
      },
      { id: 'two', description: `Second part of ${goal}`, depends_on: ['one'] },
    ],
    executorCalls: () => [
      { name: 'shell_execute', arguments: { command: recorder.command('effect') } },
    ],
  });
  cluster = await startCluster({
    model,
    gateways: 2,
    planners: 0,
    runners: 0,
    verifiers: 0,
    config: {
      // Nobody waits so long: what a process does not give back itself is not done in time.
      execution: { lease_seconds: 900, ring_again_seconds: 900 },
      // Each process calls the model under a name of its own.
      'models.scripted': { api_key_env: 'WORKER_NAME' },
    },
  });
  for (const [index, role] of workers.entries()) {
    const name = `worker-${index}`;
    const process = await cluster.add(role, { WORKER_NAME: name });
    const asked = ({ headers }: ScriptedRequest) => headers.authorization === `Bearer ${name}`;
    staff.push({ process, asked });
  }
}, 120_000);
afterAll(() => cluster.stop());

test('R23: all processes restarted one after the other under load lose, stall and repeat nothing', async () => {
  const choose = seededChoice('R23');
  for (let round = 0; round < rounds; round++) {
    const waiting = [...cluster.processes];
    while (waiting.length > 0) {
      const [victim] = waiting.splice(choose(waiting.length), 1);
      if (victim !== undefined) await restartUnderLoad(victim);
    }
  }
  await finishWork();
  expect(repeatedCalls()).toEqual([]);
  expect(model.requests.filter(({ abandoned }) => abandoned)).toEqual([]);
}, 1_800_000);

test('R23: a call that outlasts the grace period is cut, and made again by whoever goes on', async () => {
  const victims = staff.slice(0, faultCount({ short: 1, full: staff.length }));
  for (const { process, asked } of victims) {
    const gate = model.hold(asked);
    await loadUntil(gate.arrived);
    process.kill('SIGTERM');
    expect(await process.exited).toEqual({ code: 0, signal: null });
    await expect.poll(() => gate.requests.every(({ abandoned }) => abandoned), patience).toBe(true);
    gate.release();
    await process.restart();
  }
  await finishWork();
  expect(repeatedCalls()).toEqual([]);
}, 1_800_000);

/** Stops a process in good order while it waits for the model, and starts it again. */
async function restartUnderLoad(victim: LoomProcess): Promise<void> {
  const worker = staff.find(({ process }) => process === victim);
  // A gateway asks no model; there it is its readers that wait for an answer.
  const gate = model.hold(worker?.asked ?? 'cowork');
  await loadUntil(gate.arrived);
  victim.kill('SIGTERM');
  startWork();
  await expect.poll(() => isListening(victim.url), patience).toBe(false);
  if (worker !== undefined) expect(victim.isRunning).toBe(true);
  gate.release();
  expect(await victim.exited).toEqual({ code: 0, signal: null });
  await victim.restart();
}

/** Starts work, again and again if need be, until something has come of it. */
async function loadUntil(reached: Promise<unknown>): Promise<void> {
  let isReached = false;
  const noted = reached.then(() => {
    isReached = true;
  });
  while (!isReached) await Promise.race([noted, startWork()]);
}

let started = 0;

/** Starts some tasks and turns, and resolves when they have ended. */
async function startWork(): Promise<void> {
  const batch = Array.from({ length: loadAtOnce }, () => {
    started += 1;
    return [
      runTask(`task ${started}.`),
      runTurn(`say ${started}.`),
      runTurn(`delegate: part ${started}.`),
    ];
  }).flat();
  work.push(...batch);
  await Promise.allSettled(batch);
}

async function runTask(goal: string): Promise<string> {
  const { client } = cluster;
  const { id } = await client.createTask({ goal, workspace: await cluster.newWorkspace() });
  transcripts.push(client.follow('task', id));
  return (await client.waitForTask(id, wait)).status;
}

async function runTurn(content: string): Promise<string> {
  const { client } = cluster;
  const { id } = await client.createSession({ workspace: await cluster.newWorkspace() });
  transcripts.push(client.follow('session', id));
  const { turn_id } = await client.sendTurn(id, content);
  return (await client.waitForTurn(id, turn_id, wait)).status;
}

/** Waits for everything that was started, and looks whether anything went otherwise than it should. */
async function finishWork(): Promise<void> {
  const ended = await Promise.all(work.splice(0));
  console.info(`R23: ${ended.length} tasks and turns, ${model.requests.length} model calls`);
  expect(ended.filter((status) => status !== 'completed')).toEqual([]);
  const { database } = cluster;
  expect(await database.rows('SELECT * FROM attempts WHERE number > 1')).toEqual([]);
  // Whoever lost a unit, or failed with it, has left his word there.
  expect(
    await database.rows('SELECT id, last_error FROM units WHERE last_error IS NOT NULL'),
  ).toEqual([]);
  await checkInvariants({ ...cluster, recorder, transcripts });
}

/** Calls that were answered to the end more than once. */
function repeatedCalls(): string[] {
  const answered = model.requests
    .filter(({ abandoned }) => !abandoned)
    .map(({ role, messages }) => `${role} ${JSON.stringify(messages)}`);
  return answered.filter((call, index) => answered.indexOf(call) !== index);
}

async function isListening(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`);
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
