import { caller } from '@loom/runtime/test-support/runtime-world';
import type { ModelRequest } from '@loom/shared/chat';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from './test-support/attempt-world.ts';
import { reply, type ScriptedReply, scriptedModels } from './test-support/scripted-models.ts';
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

const steer = async (session: string, content: string) => {
  const input = { content, if_busy: 'steer' } as const;
  return (await runner.intake.acceptTurn(caller, session, input, null)).body;
};

/** Begins a turn whose model is told of its session, so that it can be steered while it answers. */
const begin = async (script: (session: string) => ScriptedReply[]) => {
  const session = await world.newSession(runner);
  world.useModels(scriptedModels(script(session)));
  return { session, turn: await world.send(runner, session) };
};

const saidBy = (role: string, request: ModelRequest | undefined) =>
  (request?.messages ?? []).filter((one) => one.role === role).map(({ content }) => content);

const typesOf = async (session: string) =>
  (await world.events(session, 'turn.')).map(({ type }) => type);

test('what the user adds while a turn runs reaches its next model call', async () => {
  const { session, turn } = await begin((id) => [
    async () => {
      expect((await steer(id, 'in blue, please')).message_number).toBe(2);
      return reply('', call('1', 'look', 'a'));
    },
    reply('blue it is'),
  ]);
  await world.untilStatus(turn, 'completed');
  const [, second] = world.asked();
  expect(saidBy('user', second)).toEqual(['go', 'in blue, please']);
  expect(saidBy('tool', second)).toEqual(['look of a is done']);
  expect(await typesOf(session)).toEqual([
    'turn.queued',
    'turn.started',
    'turn.steered',
    'turn.completed',
  ]);
});

test('a turn that was steered during its last word says another', async () => {
  const { session, turn } = await begin((id) => [
    async () => {
      await steer(id, 'and the price?');
      return reply('It is red.');
    },
    reply('It costs five.'),
  ]);
  await world.untilStatus(turn, 'completed');
  expect(world.asked()).toHaveLength(2);
  expect(saidBy('user', world.asked()[1])).toEqual(['go', 'and the price?']);
  expect(saidBy('assistant', world.asked()[1])).toEqual(['It is red.']);
  const messages = await world.rows<{ line: string }>(
    `SELECT role || ': ' || content AS line FROM messages WHERE session_id = $1 ORDER BY number`,
    [session],
  );
  expect(messages.map(({ line }) => line)).toEqual([
    'user: go',
    'user: and the price?',
    'assistant: It is red.',
    'assistant: It costs five.',
  ]);
});

test('a question is not put before the model has read what the user said meanwhile', async () => {
  const question = { id: 'q', name: 'ask_user', arguments: { question: 'which colour?' } };
  const { turn } = await begin((id) => [
    async () => {
      await steer(id, 'blue, by the way');
      return reply('', question);
    },
    reply('blue it is'),
  ]);
  await world.untilStatus(turn, 'completed');
  const [, second] = world.asked();
  expect(saidBy('user', second)).toEqual(['go', 'blue, by the way']);
  expect(saidBy('tool', second)[0]).toContain('not asked');
});

test('whenever it comes, a message that joined a turn was read before the turn ended', async () => {
  for (let round = 0; round < 40; round++) {
    const { session, turn } = await begin(() => Array(4).fill(reply('done')));
    for (let hop = 0; hop < round; hop++) await new Promise((resolve) => setImmediate(resolve));
    const sent = await steer(session, 'late');
    await world.untilStatus(sent.turn_id, 'completed');
    await world.untilStatus(turn, 'completed');
    expect(saidBy('user', world.asked().at(-1)).at(-1)).toBe('late');
  }
});
