import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { caller } from '@loom/runtime/test-support/runtime-world';
import type { DecideApproval } from '@loom/shared/approval';
import type { ToolCall } from '@loom/shared/chat';
import { writeFileTool } from '@loom/tools/write-file';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from './test-support/attempt-world.ts';
import { reply } from './test-support/scripted-models.ts';
import { openTurnWorld, type TurnRunner, type TurnWorld } from './test-support/turn-world.ts';

let world: TurnWorld;
let runner: TurnRunner;
let workspace: string;

beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'loom-turn-'));
  world = await openTurnWorld([writeFileTool]);
  runner = await world.startRunner();
});
afterAll(async () => {
  await runner.stop();
  await world.drop();
  await rm(workspace, { recursive: true });
});

const manual = { approval_mode: 'manual' } as const;
const delegate = (id: string, goal: string, wait: boolean): ToolCall => ({
  id,
  name: 'delegate_task',
  arguments: { goal, wait },
});

const decide = (id: string | undefined, input: Partial<DecideApproval> = {}) =>
  runner.intake.decideApproval(caller, id ?? '', { decision: 'approve', scope: 'once', ...input });

/** Waits until the turn has asked and gave its worker back; the questions are in order of the calls. */
const asked = async (turn: string): Promise<string[]> => {
  await world.untilParked(runner, turn, 'approval');
  return (await world.approvals(turn)).map(({ id }) => id);
};

describe('a call that a person must allow', () => {
  test('does not run before, and what stood before it does', async () => {
    const calls = [call('1', 'look', 'a'), call('2', 'send', 'b')];
    const { session, turn } = await world.begin(runner, [reply('', ...calls), reply('ok')], manual);
    const [id] = await asked(turn);
    expect(world.deeds).toEqual(['look a']);
    expect(await world.statusOf(turn)).toBe('awaiting_approval');
    expect((await world.events(session, 'approval.')).map(({ data }) => data)).toMatchObject([
      { approval_id: id, kind: 'tool', tool: 'send', arguments: { what: 'b' } },
    ]);
    await decide(id);
    await world.untilStatus(turn, 'completed');
    expect(world.deeds).toEqual(['look a', 'send b']);
    expect(world.results()).toEqual(['look of a is done', 'send of b is done']);
    const types = (await world.events(session, 'turn.')).map(({ type }) => type);
    expect(types).not.toContain('turn.recovered');
    expect(types).toContain('turn.awaiting_approval');
  });

  test('runs with what a person made of it, and the model is told', async () => {
    const replies = [reply('', call('1', 'send', 'all')), reply('ok')];
    const { turn } = await world.begin(runner, replies, manual);
    const [id] = await asked(turn);
    await decide(id, { arguments: { what: 'half' } });
    await world.untilStatus(turn, 'completed');
    expect(world.deeds).toEqual(['send half']);
    expect(world.results()[0]).toContain('The user changed the arguments');
    expect(world.results()[0]).toContain('send of half is done');
  });

  test('refused, it is not made, and the model learns why', async () => {
    const replies = [reply('', call('1', 'send', 'a'), call('2', 'look', 'b')), reply('ok')];
    const { turn } = await world.begin(runner, replies, manual);
    const [id] = await asked(turn);
    await decide(id, { decision: 'deny', reason: 'not on a Friday' });
    await world.untilStatus(turn, 'completed');
    expect(world.deeds).toEqual(['look b']);
    expect(world.results()[0]).toContain('not on a Friday');
  });

  test('several are asked about at once, and run in their order', async () => {
    const calls = [call('1', 'send', 'a'), call('2', 'put', 'b'), delegate('3', 'c', false)];
    const { turn } = await world.begin(runner, [reply('', ...calls), reply('ok')], manual);
    const ids = await asked(turn);
    expect(ids).toHaveLength(3);
    // The second is allowed first; it waits for what is to happen before it.
    await decide(ids[1]);
    await asked(turn);
    expect(world.deeds).toEqual([]);
    await decide(ids[0]);
    await asked(turn);
    expect(world.deeds).toEqual(['send a', 'put b']);
    expect(await world.rows('SELECT 1 FROM tasks WHERE turn_id = $1', [turn])).toEqual([]);
    await decide(ids[2]);
    await world.untilStatus(turn, 'completed');
    expect(world.results()).toHaveLength(3);
    expect(await world.approvals(turn)).toHaveLength(3);
  });

  test('arguments that no tool takes are answered, not asked about', async () => {
    const calls = [call('1', 'send', { nonsense: 1 }), call('2', 'unknown', 'x')];
    const { turn } = await world.begin(runner, [reply('', ...calls), reply('ok')], manual);
    await world.untilStatus(turn, 'completed');
    expect(await world.approvals(turn)).toEqual([]);
    expect(world.results()).toHaveLength(2);
  });

  test('a turn cancelled while it waits never makes the call', async () => {
    const replies = [reply('', call('1', 'send', 'a')), reply('late')];
    const { session, turn } = await world.begin(runner, replies, manual);
    const [id] = await asked(turn);
    await runner.intake.cancelTurn(caller, session, turn);
    expect(await world.statusOf(turn)).toBe('cancelled');
    expect(await world.approvals(turn)).toMatchObject([{ status: 'denied' }]);
    await expect(decide(id)).rejects.toMatchObject({ code: 'conflict' });
    expect(world.deeds).toEqual([]);
  });

  test('ending the session closes what it asked', async () => {
    const { session, turn } = await world.begin(
      runner,
      [reply('', call('1', 'send', 'a'))],
      manual,
    );
    await asked(turn);
    await runner.intake.endSession(caller, session);
    expect(await world.approvals(turn)).toMatchObject([{ status: 'denied' }]);
    expect((await world.events(session)).at(-1)?.type).toBe('session.end');
  });
});

describe('what asks', () => {
  test('in the mode auto a delegation, and what is always gated', async () => {
    const replies = [reply('', call('1', 'send', 'a'), delegate('2', 'g', false)), reply('ok')];
    const { turn } = await world.begin(runner, replies, { approval_mode: 'auto' });
    const [id] = await asked(turn);
    expect(await world.approvals(turn)).toMatchObject([{ tool: 'delegate_task' }]);
    await decide(id);
    await world.untilStatus(turn, 'completed');
    expect(await world.rows('SELECT 1 FROM tasks WHERE turn_id = $1', [turn])).toHaveLength(1);
  });

  test('in the mode disabled not even a delegation', async () => {
    const replies = [reply('', delegate('1', 'g', false)), reply('ok')];
    const { turn } = await world.begin(runner, replies, { approval_mode: 'disabled' });
    await world.untilStatus(turn, 'completed');
    expect(await world.approvals(turn)).toEqual([]);
  });

  test.each(['auto', 'disabled', 'manual'] as const)(
    'a write to .env asks in the mode %s, each time, whatever was granted',
    async (approval_mode) => {
      const write = (id: string, content: string) =>
        call(id, 'write_file', { path: `${approval_mode}/.env`, content });
      const replies = [reply('', write('1', 'A=1')), reply('', write('2', 'A=2')), reply('ok')];
      const session = { approval_mode, workspace, grants: { tools: ['write_file'] } };
      const { turn } = await world.begin(runner, replies, session);
      const [first] = await asked(turn);
      await decide(first, { scope: 'session' });
      while ((await world.approvals(turn)).length < 2);
      const [, second] = await asked(turn);
      expect(await readFile(join(workspace, approval_mode, '.env'), 'utf8')).toBe('A=1');
      await decide(second, { decision: 'deny' });
      await world.untilStatus(turn, 'completed');
      expect(await readFile(join(workspace, approval_mode, '.env'), 'utf8')).toBe('A=1');
    },
  );

  test('a tool allowed for the session is not asked about again, in this turn and in later ones', async () => {
    const replies = [
      reply('', call('1', 'send', 'a'), call('2', 'put', 'b'), call('3', 'send', 'c')),
      reply('', call('4', 'send', 'd')),
      reply('ok'),
      reply('', call('5', 'send', 'e')),
      reply('ok'),
    ];
    const { session, turn } = await world.begin(runner, replies, manual);
    const ids = await asked(turn);
    await decide(ids[0], { scope: 'session' });
    await asked(turn);
    expect(world.deeds).toEqual(['send a']);
    await decide(ids[1]);
    await world.untilStatus(turn, 'completed');
    expect(world.deeds).toEqual(['send a', 'put b', 'send c', 'send d']);
    const next = await world.send(runner, session);
    await world.untilStatus(next, 'completed');
    expect(world.deeds).toHaveLength(5);
    expect(await world.approvals(next)).toEqual([]);
    // Another session was granted nothing.
    const other = await world.begin(runner, [reply('', call('1', 'send', 'a'))], manual);
    await asked(other.turn);
    expect(world.deeds).toEqual([]);
  });

  test('delegations ask in the mode manual; the task is as careful as its session', async () => {
    const replies = [reply('', delegate('1', 'build it', true)), reply('ok')];
    const { turn } = await world.begin(runner, replies, manual);
    const [id] = await asked(turn);
    await decide(id, { arguments: { goal: 'build half of it', wait: true } });
    await world.untilStatus(turn, 'awaiting_task');
    const tasks = await world.rows<{ id: string; goal: string; mode: string; on_budget: string }>(
      `SELECT t.id, t.goal, p.policy->'approval'->>'mode' AS mode, p.policy->>'on_budget' AS on_budget
        FROM tasks t JOIN policies p ON p.id = t.policy_id WHERE t.turn_id = $1`,
      [turn],
    );
    expect(tasks).toMatchObject([{ goal: 'build half of it', mode: 'manual', on_budget: 'pause' }]);
    await runner.intake.stopTask(caller, tasks[0]?.id ?? '', 'abort');
    await world.untilStatus(turn, 'completed');
  });

  test('a delegation that is refused, or made impossible by its editor, starts nothing', async () => {
    const replies = [reply('', delegate('1', 'a', true), delegate('2', 'b', true)), reply('ok')];
    const { turn } = await world.begin(runner, replies, manual);
    const ids = await asked(turn);
    await decide(ids[0], { decision: 'deny', reason: 'too dear' });
    await asked(turn);
    await decide(ids[1], { arguments: { goal: '' } });
    await world.untilStatus(turn, 'completed');
    expect(await world.rows('SELECT 1 FROM tasks WHERE turn_id = $1', [turn])).toEqual([]);
    expect(world.results()[0]).toContain('too dear');
    expect(world.results()[1]).toContain('cannot be used');
  });

  test('delegate_task can be granted beforehand', async () => {
    const replies = [reply('', delegate('1', 'g', false)), reply('ok')];
    const grants = { tools: ['delegate_task'] };
    const { turn } = await world.begin(runner, replies, { ...manual, grants });
    await world.untilStatus(turn, 'completed');
    expect(await world.approvals(turn)).toEqual([]);
  });
});

describe('an answer in the conversation', () => {
  const say = async (session: string, content: string, if_busy: 'queue' | 'interrupt' = 'queue') =>
    (await runner.intake.acceptTurn(caller, session, { content, if_busy }, null)).body;

  test.each([
    ['Yes.', 'approved', ['send a']],
    ['no', 'denied', []],
  ])('%s decides the one question that is open', async (content, status, deeds) => {
    const replies = [reply('', call('1', 'send', 'a')), reply('ok')];
    const { session, turn } = await world.begin(runner, replies, manual);
    await asked(turn);
    expect(await say(session, content)).toMatchObject({ turn_id: turn, message_number: 3 });
    await world.untilStatus(turn, 'completed');
    expect(await world.approvals(turn)).toMatchObject([{ status }]);
    expect(world.deeds).toEqual(deeds);
    const stored = await world.rows<{ role: string; content: string }>(
      'SELECT role, content FROM messages WHERE session_id = $1 ORDER BY number',
      [session],
    );
    expect(stored.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'tool',
      'assistant',
    ]);
    expect(stored[2]?.content).toBe(content);
  });

  test('decides nothing where it could mean several questions, says more, or interrupts', async () => {
    const replies = [reply('', call('1', 'send', 'a'), call('2', 'send', 'b')), reply('ok')];
    const { session, turn } = await world.begin(runner, replies, manual);
    await asked(turn);
    expect((await say(session, 'yes')).turn_id).not.toBe(turn);
    expect((await say(session, 'yes, but only b')).turn_id).not.toBe(turn);
    const { turn_id } = await say(session, 'no', 'interrupt');
    await world.untilStatus(turn_id, 'completed');
    expect(await world.statusOf(turn)).toBe('cancelled');
    expect(world.deeds).toEqual([]);
  });
});

describe('when nobody answers', () => {
  const patience = { timeout_seconds: 0.3 };

  test('the call is not made, and the turn goes on by itself', async () => {
    await runner.stop();
    runner = await world.startRunner({ approval: patience });
    const replies = [reply('', call('1', 'send', 'a')), reply('ok')];
    const { session, turn } = await world.begin(runner, replies, manual);
    await world.untilStatus(turn, 'completed');
    expect(world.deeds).toEqual([]);
    expect(world.results()).toEqual(['Nobody answered in time, so this call was not made.']);
    expect(await world.approvals(turn)).toMatchObject([{ status: 'expired' }]);
    const types = (await world.events(session, 'approval.')).map(({ type }) => type);
    expect(types).toEqual(['approval.requested', 'approval.expired']);
  });

  test('it is made where the installation says so', async () => {
    await runner.stop();
    runner = await world.startRunner({ approval: { ...patience, on_timeout: 'approve' } });
    const replies = [reply('', call('1', 'send', 'a')), reply('ok')];
    const { turn } = await world.begin(runner, replies, manual);
    await world.untilStatus(turn, 'completed');
    expect(world.deeds).toEqual(['send a']);
    expect(await world.approvals(turn)).toMatchObject([{ status: 'expired' }]);
  });
});

test('a question outlives the process that asked it: another goes on with the answer', async () => {
  await runner.stop();
  runner = await world.startRunner();
  const calls = [call('1', 'look', 'a'), call('2', 'send', 'b'), call('3', 'put', 'c')];
  const { session, turn } = await world.begin(runner, [reply('', ...calls), reply('ok')], manual);
  const ids = await asked(turn);
  await decide(ids[0]);
  await asked(turn);
  await runner.stop();
  runner = await world.startRunner();
  await decide(ids[1], { arguments: { what: 'd' } });
  await world.untilStatus(turn, 'completed');
  expect(world.deeds).toEqual(['look a', 'send b', 'put d']);
  expect(world.asked()).toHaveLength(2);
  const types = (await world.events(session, 'turn.')).map(({ type }) => type);
  expect(types).not.toContain('turn.recovered');
});
