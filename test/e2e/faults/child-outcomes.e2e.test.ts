import { randomUUID } from 'node:crypto';
import { openQueueBackend, type QueueBackend } from '@loom/queue/queue-backend';
import { createRinger, type Ringer } from '@loom/queue/ringer';
import type { Turn } from '@loom/shared/api';
import { createLogger } from '@loom/shared/logger';
import type { QueueName } from '@loom/shared/queues';
import { type Cluster, startCluster } from '@loom/testing/cluster';
import { type EffectRecorder, startEffectRecorder } from '@loom/testing/effect-recorder';
import { checkInvariants } from '@loom/testing/invariants';
import { fault, text } from '@loom/testing/scripted-model/replies';
import { type ScriptedModel, startScriptedModel } from '@loom/testing/scripted-model-server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { faultCount } from './fault-counts.ts';

/** A turn that delegated and waits, and its task. */
interface Family {
  session_id: string;
  turn_id: string;
  task_id: string;
}

const queue_prefix = `children-${randomUUID().slice(0, 8)}`;
const maxMs = 30_000;
const rounds = Array.from({ length: faultCount({ short: 1, full: 10 }) }, (_, index) => index + 1);
let model: ScriptedModel;
let recorder: EffectRecorder;
let cluster: Cluster;
let backend: QueueBackend;
let ringer: Ringer;

beforeAll(async () => {
  model = await startScriptedModel();
  recorder = await startEffectRecorder();
  cluster = await startCluster({
    model,
    runners: 2,
    config: {
      execution: {
        lease_seconds: 2,
        sweep_interval_seconds: 0.2,
        ring_again_seconds: 1,
        queue_prefix,
      },
    },
  });
  const logger = createLogger({ level: 'silent', name: 'test' });
  backend = await openQueueBackend({
    redis_url: cluster.redis?.url ?? null,
    database_url: cluster.database.url,
    prefix: queue_prefix,
    logger,
  });
  ringer = createRinger(backend, logger);
}, 120_000);
afterAll(async () => {
  await ringer.close();
  await backend.close();
  await cluster.stop();
});
beforeEach(() => {
  model.reset();
  model.useWorkingBrain({
    subtasks: [
      {
        id: 'child',
        description: 'Write it',
        deliverables: ['a.md'],
        max_retries: 0,
        // Else its failure is answered with another plan.
        is_critical_path: true,
      },
    ],
    executorCalls: () => [
      { name: 'shell_execute', arguments: { command: recorder.command('effect') } },
    ],
  });
});
afterEach(() => checkInvariants({ ...cluster, recorder }));

/** Says something that the model delegates, and returns once the turn waits for its task. */
async function delegate(): Promise<Family> {
  const { client } = cluster;
  const session = await client.createSession({ workspace: await cluster.newWorkspace() });
  const { turn_id } = await client.sendTurn(session.id, 'delegate: one file');
  for await (const event of client.streamEvents(`/api/sessions/${session.id}/events`, {
    after: '0',
  })) {
    if (event.type === 'turn.awaiting_task') break;
  }
  const { items } = (await client.get(`/api/tasks?session_id=${session.id}`)) as {
    items: { id: string }[];
  };
  return { session_id: session.id, turn_id, task_id: items[0]?.id ?? '' };
}

/** The end of the turn, which must come soon after the fault; the model was told what became of the task. */
async function endOf({ session_id, turn_id }: Family, told: string): Promise<Turn> {
  const turn = await cluster.client.waitForTurn(session_id, turn_id, { timeoutMs: maxMs });
  expect(turn.status).toBe('completed');
  const result = turn.messages.find(({ role }) => role === 'tool')?.content;
  expect(result).toContain(told);
  expect(turn.messages.at(-1)?.content).toContain(told);
  return turn;
}

test.each(rounds)(
  'R21: a child that fails, round %i',
  async () => {
    model.once('executor', fault({ kind: 'status', status: 400, message: 'not like this' }));
    await endOf(await delegate(), 'not like this');
  },
  60_000,
);

test.each(rounds)(
  'R21: a child whose handler throws each time, round %i',
  async () => {
    const { database } = cluster;
    await database.rows(`
    CREATE OR REPLACE FUNCTION refuse_line() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'this line cannot be stored'; END $$`);
    await database.rows(`
    CREATE TRIGGER refuse_line BEFORE INSERT ON attempt_messages FOR EACH ROW
    WHEN (NEW.content LIKE '%unstorable%') EXECUTE FUNCTION refuse_line()`);
    model.on('executor', text('This is unstorable.'));
    const family = await delegate();
    await endOf(family, 'failed');
    await database.rows('DROP TRIGGER refuse_line ON attempt_messages');
    const [subtask] = (await cluster.client.getTask(family.task_id)).subtasks;
    expect(subtask?.error?.code).toBe('dead_letter');
  },
  60_000,
);

test.each(rounds)(
  'R21: a child that stalls because its runner froze, round %i',
  async () => {
    const [frozen, other] = cluster.of('runner');
    await other?.stop();
    const gate = model.hold('executor');
    const family = await delegate();
    await gate.arrived;
    frozen?.kill('SIGSTOP');
    await other?.restart();
    gate.release();
    await endOf(family, 'completed');
    frozen?.kill('SIGCONT');
  },
  90_000,
);

test.each(['cancel', 'abort'].flatMap((mode) => rounds.map((round) => [mode, round] as const)))(
  'R21: a child that someone else stops: %s, round %i',
  async (mode) => {
    const gate = model.hold('executor');
    const family = await delegate();
    await gate.arrived;
    await cluster.client.controlTask(family.task_id, mode);
    await endOf(family, 'cancelled');
    gate.release();
  },
  60_000,
);

const removals: QueueName[] = ['plans', 'subtasks', 'verifications', 'turns'];
test.each(removals.flatMap((queue) => rounds.map((round) => [queue, round] as const)))(
  'R21: a child whose job in %s is removed by hand, round %i',
  async (queue) => {
    const { client } = cluster;
    const gate = model.hold('planner');
    const family = await delegate();
    // Nothing is taken off the queue until the job that comes next was removed.
    await client.post(`/api/admin/queues/${queue}/pause`);
    if (queue === 'plans') {
      await gate.arrived;
      await ringer.queue('plans').obliterate({ force: true });
      gate.release();
    } else {
      gate.release();
      await removeNextJob(queue);
    }
    await client.post(`/api/admin/queues/${queue}/resume`);
    await endOf(family, 'completed');
  },
  60_000,
);

test.each(rounds)(
  'R21: a child whose job is removed while it is worked on, round %i',
  async () => {
    const gate = model.hold('executor');
    const family = await delegate();
    await gate.arrived;
    await ringer.queue('subtasks').pause();
    await ringer.queue('subtasks').obliterate({ force: true });
    await ringer.queue('subtasks').resume();
    gate.release();
    await endOf(family, 'completed');
  },
  60_000,
);

/** Waits until a job waits in a paused queue, and removes it. */
async function removeNextJob(name: QueueName): Promise<void> {
  const queue = ringer.queue(name);
  const waiting = () => queue.getJobs(['prioritized', 'waiting']);
  await expect.poll(waiting, { timeout: maxMs, interval: 50 }).toHaveLength(1);
  for (const job of await waiting()) await job.remove();
}
