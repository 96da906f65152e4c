import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { type EffectRecorder, startEffectRecorder } from '@loom/testing/effect-recorder';
import { checkInvariants } from '@loom/testing/invariants';
import { findOrphans } from '@loom/testing/processes/find-orphans';
import { toolCalls } from '@loom/testing/scripted-model/replies';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import type { Transcript } from '@loom/testing/transcript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultCount, isFullRun, seededChoice } from './fault-counts.ts';

/** How a task is stopped: politely, at once, or along with the turn that waits for it. */
const ways = ['cancel', 'abort', 'turn'] as const;
type Way = (typeof ways)[number];

/** One stopped task, in milliseconds since 1970. */
interface Stop {
  way: Way;
  task_id: string | null;
  asked: number;
  acknowledged: number;
  terminal: number;
  /** When no process of its commands was left. */
  dead: number;
}

/** When it is stopped: so long after it was accepted, or after its commands were first heard of. */
interface Moment {
  of: 'acceptance' | 'effect';
  afterMs: number;
}

const atOnce = 12;
const maxDelayMs = 2_000;
// On a busy machine everything takes longer, looking for processes most of all.
const patienceMs = 30_000;
const maxEndMs = isFullRun ? 5_000 : patienceMs;
let model: ScriptedModel;
let recorder: EffectRecorder;
/** Hears the commands for as long as they live; one call reports many times. */
let pulse: EffectRecorder;
let cluster: Cluster;

beforeAll(async () => {
  model = await startScriptedModel();
  recorder = await startEffectRecorder();
  pulse = await startEffectRecorder();
  cluster = await startCluster({
    model,
    runners: 2,
    // Who does not hear that he is to stop finds out too late when he renews his lease.
    config: { execution: { lease_seconds: 600 } },
  });
  const shell = (command: string) => toolCalls([{ name: 'shell_execute', arguments: { command } }]);
  const beat = pulse.command();
  // Neither comes to an end by itself: the first in one call, the second in call after call.
  model.on({ role: 'executor', prompt: 'Beat for ever' }, () =>
    shell(
      `${recorder.command()}; sleep 300 & (while :; do ${beat}; sleep 0.2; done) & ${beat}; wait`,
    ),
  );
  model.on({ role: 'executor', prompt: 'Beat again' }, () =>
    shell(`${recorder.command()}; (${beat}; sleep 0.2; ${beat}) & wait`),
  );
  model.useWorkingBrain({ delayMs: 50, subtasks: () => beating('Beat again') });
}, 120_000);
afterAll(() => cluster.stop());

const beating = (description: string) => [
  { id: 'one', description },
  { id: 'two', description },
  { id: 'then', description, depends_on: ['one'] },
];

test('R22: stopped at any time, a task ends soon, its processes are gone, and nothing happens after', async () => {
  const choose = seededChoice('R22');
  const stops: Stop[] = [];
  const transcripts: Transcript[] = [];
  const wanted = faultCount({ short: 12, full: 200 });
  while (stops.length < wanted) {
    const count = Math.min(atOnce, wanted - stops.length);
    const wave = Array.from({ length: count }, (_, index) => {
      const way = ways[index % ways.length] ?? 'abort';
      const of = Math.floor(index / ways.length) % 2 === 0 ? 'acceptance' : 'effect';
      const moment: Moment = { of, afterMs: choose(maxDelayMs) };
      return way === 'turn' ? stopTurn(moment, transcripts) : stopTask(way, moment, transcripts);
    });
    stops.push(...(await Promise.all(wave)));
  }

  // Everything is over: what was heard until now is all there is.
  const lateness: number[] = [];
  for (const { task_id, way, acknowledged, terminal } of stops) {
    const last = lastBeat(task_id);
    if (last === null) continue;
    // Who was asked politely has wrapped up before the end.
    if (way !== 'abort') expect(last).toBeLessThanOrEqual(terminal + 1);
    else lateness.push(last - acknowledged);
  }
  expect(lateness.length).toBeGreaterThan(0);
  const ended = stops.map(({ asked, terminal }) => terminal - asked);
  const buried = stops.map(({ acknowledged, dead }) => dead - acknowledged);
  console.info(
    `R22: ${stops.length} stops: terminal after ${spread(ended)}, processes gone after ${spread(buried)}, last effect ${Math.max(...lateness)} ms after an abort was acknowledged`,
  );
  expect(percentile(ended, 99)).toBeLessThan(maxEndMs);
  expect(Math.max(...buried)).toBeLessThan(patienceMs);
  expect(Math.max(...lateness)).toBeLessThan(maxEndMs);
  expect(await callsAfterTheEnd()).toEqual([]);
  await checkInvariants({ ...cluster, recorder, transcripts });
}, 900_000);

async function stopTask(
  way: 'cancel' | 'abort',
  moment: Moment,
  transcripts: Transcript[],
): Promise<Stop> {
  const { client } = cluster;
  const workspace = await cluster.newWorkspace();
  const subtasks = beating(way === 'abort' ? 'Beat for ever' : 'Beat again');
  const { id } = await client.createTask({ goal: 'beat', workspace, plan: { subtasks } });
  transcripts.push(client.follow('task', id));
  await until(moment, async () => id);
  const asked = Date.now();
  await client.controlTask(id, way);
  const acknowledged = Date.now();
  expect((await client.waitForTask(id)).status).toBe('cancelled');
  return { way, task_id: id, asked, acknowledged, ...(await theEnd(id, workspace)) };
}

/** The same by way of a turn that has delegated the task, or would have done so a moment later. */
async function stopTurn(moment: Moment, transcripts: Transcript[]): Promise<Stop> {
  const { client } = cluster;
  const workspace = await cluster.newWorkspace();
  const session = await client.createSession({ workspace });
  transcripts.push(client.follow('session', session.id));
  const { turn_id } = await client.sendTurn(session.id, 'delegate: beat');
  const taskOf = async () => {
    const path = `/api/tasks?session_id=${session.id}`;
    const { items } = (await client.get(path)) as { items: { id: string }[] };
    return items[0]?.id ?? null;
  };
  await until(moment, taskOf);
  const asked = Date.now();
  await client.post(`/api/sessions/${session.id}/turns/${turn_id}/cancel`);
  const acknowledged = Date.now();
  const turn = await client.waitForTurn(session.id, turn_id);
  expect(turn.status).toBe('cancelled');
  const id = await taskOf();
  if (id === null) {
    const terminal = Date.parse(turn.ended_at ?? '');
    return { way: 'turn', task_id: null, asked, acknowledged, terminal, dead: terminal };
  }
  expect((await client.waitForTask(id)).status).toBe('cancelled');
  return { way: 'turn', task_id: id, asked, acknowledged, ...(await theEnd(id, workspace)) };
}

/** Waits for the moment that was chosen for a task, which may not exist yet. */
async function until(moment: Moment, taskOf: () => Promise<string | null>): Promise<void> {
  if (moment.of === 'effect') {
    await expect.poll(async () => lastBeat(await taskOf()), { timeout: 60_000 }).not.toBeNull();
  }
  await delay(moment.afterMs);
}

/** When a task's commands were last heard of; null if they never were. */
function lastBeat(taskId: string | null): number | null {
  const mine = pulse.effects().filter(({ key }) => taskId !== null && key.startsWith(taskId));
  return mine.at(-1)?.at ?? null;
}

/** Waits until no process works in the workspace. */
async function theEnd(id: string, workspace: string): Promise<Pick<Stop, 'terminal' | 'dead'>> {
  const last = (await cluster.client.getEvents(id)).at(-1);
  const alive = () => findOrphans({ marker: 'none', directory: workspace });
  await expect.poll(alive, { timeout: patienceMs, interval: 20 }).toEqual([]);
  return { terminal: Date.parse(last?.at ?? ''), dead: Date.now() };
}

/** Ledger lines of calls that began although their task was over. */
function callsAfterTheEnd(): Promise<unknown[]> {
  return cluster.database.rows(`
    SELECT call.key, call.started_at, task.ended_at FROM tool_calls call
    JOIN tasks task ON task.id = call.task_id WHERE call.started_at > task.ended_at`);
}

test('R22: an abort hangs up on the model at once', async () => {
  const { client } = cluster;
  const gate = model.hold('executor');
  const subtasks = beating('Beat for ever');
  const { id } = await client.createTask({
    goal: 'beat',
    workspace: await cluster.newWorkspace(),
    plan: { subtasks },
  });
  const held = await gate.arrivals(2);
  await client.controlTask(id, 'abort');
  expect((await client.waitForTask(id)).status).toBe('cancelled');
  await expect
    .poll(() => held.every(({ abandoned }) => abandoned), { timeout: patienceMs })
    .toBe(true);
  gate.release();
  await checkInvariants({ ...cluster, recorder });
}, 60_000);

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0;
}

function spread(values: readonly number[]): string {
  return `${percentile(values, 50)} ms (p50), ${percentile(values, 99)} ms (p99)`;
}
