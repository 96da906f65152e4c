import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FaultPoint, faultPoints } from '@loom/shared/fault-point';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { type EffectRecorder, startEffectRecorder } from '@loom/testing/effect-recorder';
import { checkInvariants } from '@loom/testing/invariants';
import type { LoomProcess } from '@loom/testing/processes';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultCount } from './fault-counts.ts';

let model: ScriptedModel;
let recorder: EffectRecorder;
let cluster: Cluster;
let worker: LoomProcess;
let undisturbed: unknown;

beforeAll(async () => {
  model = await startScriptedModel();
  recorder = await startEffectRecorder();
  model.useWorkingBrain({
    subtasks: [
      { id: 'one', description: 'Write one', deliverables: ['one.md'], verification_tier: 2 },
      { id: 'two', description: 'Write two', deliverables: ['two.json'] },
    ],
    executorCalls: () => [
      { name: 'shell_execute', arguments: { command: recorder.command('effect') } },
    ],
  });
  cluster = await startCluster({
    model,
    planners: 0,
    runners: 0,
    verifiers: 0,
    config: { execution: { lease_seconds: 1, sweep_interval_seconds: 0.2, ring_again_seconds: 1 } },
  });
  // One process with every role, so that any of the points lies on its way.
  worker = await cluster.add('up');
  undisturbed = await delegate();
}, 120_000);
afterAll(() => cluster.stop());

/** Delegates in a chat and returns all that a person could see of the outcome. */
async function delegate(whileRunning?: () => Promise<void>): Promise<unknown> {
  const { client } = cluster;
  const workspace = await cluster.newWorkspace();
  const session = await client.createSession({ workspace });
  const transcript = client.follow('session', session.id);
  const accepted = await client.sendTurn(session.id, 'delegate: make two files');
  await whileRunning?.();
  const turn = await client.waitForTurn(session.id, accepted.turn_id, { timeoutMs: 60_000 });
  const { items } = (await client.get(`/api/tasks?session_id=${session.id}`)) as {
    items: { id: string }[];
  };
  expect(items).toHaveLength(1);
  const task = await client.getTask(items[0]?.id ?? '');
  await checkInvariants({ ...cluster, recorder, transcripts: [transcript] });
  return {
    turn: turn.status,
    // A call in doubt is told, and is all that may differ.
    messages: turn.messages.map(({ role, content }) => `${role}: ${withoutDoubts(content)}`),
    task: [task.status, task.verification],
    subtasks: task.subtasks.map(({ id, status, attempts }) => [id, status, attempts.length]),
    files: await Promise.all(
      ['one.md', 'two.json'].map((file) => readFile(join(workspace, file), 'utf8')),
    ),
    changes: await changesOf(task.id),
  };
}

function withoutDoubts(content: string): string {
  return content.replace(/In doubt \([^)]*\):\n(?: {2}- .*\n)+\n/g, '');
}

/** What the record says of each file: one that a call made twice was not there before it. */
async function changesOf(id: string): Promise<string[]> {
  const { items } = (await cluster.client.get(`/api/tasks/${id}/files`)) as {
    items: { path: string; status: string }[];
  };
  return items.map(({ path, status }) => `${path} ${status}`).sort();
}

const hits = Array.from({ length: faultCount({ short: 1, full: 6 }) }, (_, index) => index + 1);
const cases: [FaultPoint, number][] = faultPoints.flatMap((point) =>
  hits.map((hit): [FaultPoint, number] => [point, hit]),
);

test.each(cases)(
  'R02: killed at %s, time %i, the outcome is the same',
  async (point, hit) => {
    await worker.restart({ LOOM_FAULT: `${point}:${hit}` });
    const outcome = await delegate(async () => {
      const { signal } = await worker.exited;
      expect(signal).toBe('SIGKILL');
      await worker.restart({ LOOM_FAULT: '' });
    });
    expect(outcome).toEqual(undisturbed);
  },
  90_000,
);
