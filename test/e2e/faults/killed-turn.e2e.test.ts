import { type FaultPoint, faultPoints } from '@loom/shared/fault-point';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { type EffectRecorder, startEffectRecorder } from '@loom/testing/effect-recorder';
import { checkInvariants } from '@loom/testing/invariants';
import type { LoomProcess } from '@loom/testing/processes';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isFullRun } from './fault-counts.ts';
import {
  effectfulCalls,
  type HeldConversation,
  holdConversation,
  scriptConversation,
} from './rich-conversation.ts';
import { exceptFor, type SeenConversation, seeConversation } from './seen-conversation.ts';

/**
 * Where the short run kills, and at which pass: at what R02's delegating turn leaves to its task, and
 * early, in the middle and late. Always the same, so that a failure is the fault of a change.
 */
const inShort: [FaultPoint, number][] = [
  ['tool.before', 2],
  ['change.kept', 1],
  ['tool.after', 8],
  ['claim.after', 1],
  ['commit.after', 24],
  ['journal.after', 35],
];
const undisturbedEnv = { LOOM_FAULT: '' };

let model: ScriptedModel;
let recorder: EffectRecorder;
let cluster: Cluster;
let worker: LoomProcess;
let undisturbed: SeenConversation;

beforeAll(async () => {
  model = await startScriptedModel();
  recorder = await startEffectRecorder();
  scriptConversation(model, recorder);
  cluster = await startCluster({
    model,
    planners: 0,
    runners: 0,
    verifiers: 0,
    config: { execution: { lease_seconds: 1, sweep_interval_seconds: 0.2, ring_again_seconds: 1 } },
  });
  // One process with every role, so that whatever a conversation needs is killed with it.
  worker = await cluster.add('up');
  undisturbed = await see(await holdConversation(cluster, model));
}, 120_000);
afterAll(() => cluster.stop());

/** Checks what must always hold, and returns what a person saw. */
async function see(held: HeldConversation): Promise<SeenConversation> {
  await checkInvariants({ ...cluster, recorder, transcripts: [held.transcript] });
  await held.transcript.stop();
  return seeConversation(cluster, held, recorder.effects());
}

/** Holds the conversation with a worker that dies at this instant; false: it never came to it. */
async function holdKilledAt(point: FaultPoint, hit: number): Promise<boolean> {
  await worker.restart({ LOOM_FAULT: `${point}:${hit}` });
  const doomed = worker.exited;
  const rescues: Promise<void>[] = [];
  let isOver = false;
  void doomed.then(() => {
    if (!isOver) rescues.push(worker.restart(undisturbedEnv));
  });
  const held = await holdConversation(cluster, model);
  isOver = true;
  if (rescues.length === 0) {
    // It may yet die of its very last step, which no person waits for.
    await worker.stop();
    rescues.push(worker.restart(undisturbedEnv));
  }
  await Promise.all(rescues);
  const seen = await see(held);
  const where = `killed at ${point}, time ${hit}`;
  // One call at most was under way, and only one with an effect can be in doubt.
  expect(seen.doubted.length, where).toBeLessThanOrEqual(1);
  expect(Object.keys(effectfulCalls), where).toEqual(expect.arrayContaining(seen.doubted));
  expect(exceptFor(seen, seen.doubted), where).toEqual(exceptFor(undisturbed, seen.doubted));
  return (await doomed).signal === 'SIGKILL';
}

test('undisturbed, every call takes effect once', () => {
  expect(undisturbed.turns).toMatchObject(Array(3).fill({ status: 'completed', error: null }));
  expect(undisturbed.messages.at(-1)?.content).toBe('The index is made.');
  expect(undisturbed.effects).toEqual({ run: 1, gated: [1, false], edit: 'one\nthree\n' });
});

test.each(isFullRun ? [] : inShort)(
  'killed at %s, time %i, a conversation goes on as if nothing had been',
  async (point, chosen) => {
    let hit = chosen;
    // What passes it less often than it did is killed earlier.
    while (hit > 0 && !(await holdKilledAt(point, hit))) hit = Math.floor(hit / 2);
    expect(hit).toBeGreaterThan(0);
  },
  180_000,
);

test.each(isFullRun ? faultPoints : [])(
  'killed at %s, each time it is passed, a conversation goes on as if nothing had been',
  async (point) => {
    let hit = 1;
    while (await holdKilledAt(point, hit)) hit += 1;
    console.info(`${point} was passed ${hit - 1} times`);
    expect(hit).toBeGreaterThan(1);
  },
  60 * 60_000,
);
