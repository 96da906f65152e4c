import { inTransaction } from '@loom/db/transaction';
import { caller } from '@loom/runtime/test-support/runtime-world';
import { emptySessionState, type SessionState } from '@loom/shared/session-state';
import type { ClaimedUnit } from '@loom/shared/work';
import type { DelegateTaskInput } from '@loom/tools/conversation-tools';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDelegation } from './start-delegation.ts';
import { reply } from './test-support/scripted-models.ts';
import { openTurnWorld, type TurnRunner, type TurnWorld } from './test-support/turn-world.ts';

let world: TurnWorld;
let runner: TurnRunner;

beforeAll(async () => {
  world = await openTurnWorld();
  runner = await world.startRunner();
});
afterAll(async () => {
  await runner.stop();
  await world.drop();
});

interface Ended {
  session: string;
  turn: string;
}

const endedTurn = async (): Promise<Ended> => {
  const begun = await world.begin(runner, [reply('hello')]);
  await world.untilStatus(begun.turn, 'completed');
  return begun;
};

/** Starts a call's task as a turn does. */
const delegate = (
  { session, turn }: Ended,
  callId: string,
  more: { state?: SessionState; input?: Partial<DelegateTaskInput>; cowork?: object } = {},
) => {
  const { config } = runner.runtime;
  return inTransaction(runner.runtime.db, (client) =>
    startDelegation(client, {
      unit: { tenant_id: 'default', session_id: session, turn_id: turn } as ClaimedUnit,
      call: { id: callId, name: 'delegate_task', arguments: {} },
      input: { goal: callId, wait: false, ...more.input },
      workspace: null,
      approval_mode: 'disabled',
      state: more.state ?? emptySessionState,
      config: { ...config, cowork: { ...config.cowork, ...more.cowork } },
    }),
  );
};

const contextOf = async (taskId: string) =>
  (await world.rows<{ context: unknown }>('SELECT context FROM tasks WHERE id = $1', [taskId]))[0]
    ?.context;

test('a delegated task works where its session works', async () => {
  const call = { id: 'c1', name: 'delegate_task', arguments: { goal: 'g', wait: false } };
  const { session, turn } = await world.begin(runner, [reply('', call), reply('started')], {
    approval_mode: 'disabled',
    workspace: '/projects/app',
  });
  await world.untilStatus(turn, 'completed');
  const sql = 'SELECT turn_id, workspace FROM tasks WHERE session_id = $1';
  expect(await world.rows(sql, [session])).toEqual([{ turn_id: turn, workspace: '/projects/app' }]);
});

test('a task is told of the conversation beside what the model passed on', async () => {
  const turn = await endedTurn();
  const state = {
    ...emptySessionState,
    constraints: [{ text: 'never touch vendor/', number: 1 }],
    decisions: [{ text: 'tabs', number: 2 }],
  };
  const conversation = { constraints: ['never touch vendor/'], decisions: ['tabs'] };
  const told = await delegate(turn, 'a', { state, input: { context: { style: 'short' } } });
  expect(await contextOf(told.task_id)).toEqual({ style: 'short', conversation });
  const both = await delegate(turn, 'b', { state, input: { context: { conversation: 'a chat' } } });
  expect(await contextOf(both.task_id)).toEqual({
    conversation: { ...conversation, passed_on: 'a chat' },
  });
  const nothing = await delegate(turn, 'c', { input: { context: { style: 'long' } } });
  expect(await contextOf(nothing.task_id)).toEqual({ style: 'long' });
});

test('a conversation has so many tasks under way at most; one that ends makes room', async () => {
  const turn = await endedTurn();
  const cowork = { max_open_delegations: 3 };
  const ids: string[] = [];
  for (const call of ['a', 'b', 'c']) {
    const started = await delegate(turn, call, { cowork });
    expect(started.refused).toBeNull();
    ids.push(started.task_id);
  }
  const refused = await delegate(turn, 'd', { cowork });
  expect(refused).toMatchObject({ task_id: '', after: null });
  expect(refused.refused).toMatch(/^3 delegated tasks .* wait for a result/);
  expect(await delegate(turn, 'b', { cowork })).toEqual({
    task_id: ids[1],
    after: null,
    refused: null,
  });
  expect((await delegate(await endedTurn(), 'd', { cowork })).refused).toBeNull();
  await runner.intake.stopTask(caller, ids[0] ?? '', 'abort');
  expect((await delegate(turn, 'd', { cowork })).refused).toBeNull();
});

test('tasks stand one level below their conversation; with no level allowed there are none', async () => {
  const turn = await endedTurn();
  const off = await delegate(turn, 'a', { cowork: { max_delegation_depth: 0 } });
  expect(off.refused).toMatch(/may not delegate/);
  const on = await delegate(turn, 'a', { cowork: { max_delegation_depth: 1 } });
  const rows = await world.rows('SELECT depth FROM tasks WHERE session_id = $1', [turn.session]);
  expect([on.refused, rows]).toEqual([null, [{ depth: 1 }]]);
});
