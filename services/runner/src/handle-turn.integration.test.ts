import type { Runtime } from '@loom/runtime/create-runtime';
import { createIntake } from '@loom/runtime/intake';
import { startWorker, type Worker } from '@loom/runtime/start-worker';
import { caller, openWorld } from '@loom/runtime/test-support/runtime-world';
import type { ModelReply, ToolCall } from '@loom/shared/chat';
import type { Intake } from '@loom/shared/intake';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runnerHandlers } from './handlers.ts';
import { reply, scriptedModels } from './test-support/scripted-models.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let runtime: Runtime;
let intake: Intake;
let worker: Worker;
let close: () => Promise<void>;
let models: ReturnType<typeof scriptedModels>;
/** Called at once after every commit of a turn. */
let afterCommit: (streams: string[]) => void = () => undefined;

beforeAll(async () => {
  world = await openWorld();
  ({ runtime, close } = await world.openRuntime(2));
  intake = createIntake(runtime);
  const observed: Runtime = {
    ...runtime,
    announce: (commit) => {
      runtime.announce(commit);
      afterCommit(commit.streams);
    },
  };
  const current: typeof models = {
    asked: [],
    complete: (request) => models.complete(request),
    list: () => models.list(),
    select: (request) => models.select(request),
  };
  const { turns } = runnerHandlers({ runtime: observed, models: current, tools: [] });
  worker = startWorker(runtime, { turns });
});
afterAll(async () => {
  await worker.stop();
  await close();
  await world.drop();
});

const delegate = (id: string, goal: string, wait: boolean): ToolCall => ({
  id,
  name: 'delegate_task',
  arguments: { goal, wait },
});

const free = { approval_mode: 'disabled' } as const;

async function begin(...replies: ModelReply[]): Promise<{ session: string; turn: string }> {
  return beginIn((await intake.createSession(caller, free, null)).body.id, ...replies);
}

async function beginIn(session: string, ...replies: ModelReply[]) {
  models = scriptedModels(replies);
  const input = { content: 'go', if_busy: 'queue' } as const;
  const turn = (await intake.acceptTurn(caller, session, input, null)).body.turn_id;
  return { session, turn };
}

async function untilStatus(turn: string, status: string): Promise<void> {
  const look = () =>
    world.rows<{ status: string }>('SELECT status FROM turns WHERE id = $1', [turn]);
  while ((await look())[0]?.status !== status);
}

const tasksOf = (turn: string) =>
  world.rows<{ goal: string; status: string }>(
    'SELECT goal, status FROM tasks WHERE turn_id = $1 ORDER BY goal',
    [turn],
  );

test('a model that uses one call id again still gets every call carried out', async () => {
  const { session, turn } = await begin(
    reply('', delegate('call_0', 'one', false)),
    reply('', delegate('call_0', 'two', false)),
    reply('both are started'),
  );
  await untilStatus(turn, 'completed');
  expect((await tasksOf(turn)).map(({ goal }) => goal)).toEqual(['one', 'two']);
  const stored = await world.rows<{ role: string; ids: string }>(
    `SELECT role, coalesce(tool_call_id, tool_calls->0->>'id', '') AS ids FROM messages
      WHERE session_id = $1 ORDER BY number`,
    [session],
  );
  expect(stored.map(({ role, ids }) => `${role} ${ids}`.trim())).toEqual([
    'user',
    'assistant call_0',
    'tool call_0',
    'assistant call_0-2',
    'tool call_0-2',
    'assistant',
  ]);
  expect(models.asked).toHaveLength(3);
});

test('a turn waits for its tasks without a worker, and goes on with their results', async () => {
  const { turn } = await begin(
    reply('', delegate('a', 'one', true), delegate('b', 'two', true)),
    reply('neither was done'),
  );
  await untilStatus(turn, 'awaiting_task');
  while (runtime.slots.active('turns') > 0) await Promise.resolve(await tasksOf(turn));
  const rows = await world.rows<{ id: string }>('SELECT id FROM tasks WHERE turn_id = $1', [turn]);
  for (const { id } of rows) await intake.stopTask(caller, id, 'abort');
  await untilStatus(turn, 'completed');
  const results = models.asked[1]?.messages.filter(({ role }) => role === 'tool');
  expect(results?.map(({ tool_call_id }) => tool_call_id)).toEqual(['a', 'b']);
});

test('a question parks the turn, and the answer is what the call gave', async () => {
  const question = { id: 'q', name: 'ask_user', arguments: { question: 'which?' } };
  const { session, turn } = await begin(reply('', question), reply('blue it is'));
  await untilStatus(turn, 'awaiting_user');
  const input = { content: 'blue', if_busy: 'queue' } as const;
  await intake.acceptTurn(caller, session, input, null);
  await untilStatus(turn, 'completed');
  const told = models.asked[1]?.messages.filter(({ role }) => role !== 'system') ?? [];
  expect(told.slice(-2)).toEqual([
    { role: 'tool', content: 'blue', tool_call_id: 'q', tool_name: 'ask_user' },
    { role: 'user', content: 'blue' },
  ]);
});

test('a turn cancelled while it delegates leaves no task at work, whichever came first', async () => {
  for (let round = 0; round < 5; round++) {
    const session = (await intake.createSession(caller, free, null)).body.id;
    const stored = new Promise<void>((resolve) => {
      // The reply with the call is stored; the task is about to be. Of the turn before this one
      // there may be a last announcement to come: it is of another session.
      afterCommit = (streams) => {
        if (streams.includes(session)) resolve();
      };
    });
    const { turn } = await beginIn(session, reply('', delegate('a', 'one', true)), reply('late'));
    await stored;
    await intake.cancelTurn(caller, session, turn);
    await untilStatus(turn, 'cancelled');
    const open = (await tasksOf(turn)).filter(({ status }) => status !== 'cancelled');
    expect(open).toEqual([]);
  }
  afterCommit = () => undefined;
});
