import type { JsonValue } from '@loom/shared/json';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reply } from '../test-support/scripted-models.ts';
import { openTurnWorld, type TurnRunner, type TurnWorld } from '../test-support/turn-world.ts';

let world: TurnWorld;
let runner: TurnRunner;

beforeAll(async () => {
  world = await openTurnWorld();
  runner = await world.startRunner({ cowork: { max_tool_iterations: 3 } });
});
afterAll(async () => {
  await runner.stop();
  await world.drop();
});

let calls = 0;
const call = (name: string, args: JsonValue) => ({ id: `c${calls++}`, name, arguments: args });
const plan = (...titles: string[]) =>
  reply('', call('create_todo', { items: titles.map((title) => ({ title })) }));
const look = (what: string) => reply('', call('look', { what }));

/** What the model was shown beside the conversation, in each of its calls. */
const shown = () =>
  world.asked().map(({ messages }) =>
    messages
      .filter(({ role }) => role === 'system')
      .map(({ content }) => content)
      .join('\n'),
  );
const answerOf = async (turn: string) =>
  (
    await world.rows<{ content: string }>(
      `SELECT content FROM messages WHERE turn_id = $1 AND role = 'assistant' ORDER BY number DESC LIMIT 1`,
      [turn],
    )
  )[0]?.content;

test('todos are shown before every call, an answer silent about them gets a line, the next turn has none', async () => {
  const { session, turn } = await world.begin(runner, [
    plan('count the sheep', 'shear them'),
    look('barn'),
    reply('There are twelve.'),
  ]);
  await world.untilStatus(turn, 'completed');
  const [first, second, third] = shown();
  expect(first).not.toContain('Todos of this turn');
  for (const section of [second, third]) {
    expect(section).toMatch(/2 pending.*\n1\. todo_\w+ count the sheep\n2\. todo_\w+ shear them/);
  }
  expect(await answerOf(turn)).toBe(
    'There are twelve.\n\nNot finished: count the sheep; shear them.',
  );

  world.script(reply('Hello.'));
  const next = await world.send(runner, session);
  await world.untilStatus(next, 'completed');
  expect(shown()).toHaveLength(1);
  expect(shown()[0]).not.toContain('sheep');
  expect(await answerOf(next)).toBe('Hello.');
});

test('a turn with todos may make more model calls than one without', async () => {
  const looks = ['a', 'b', 'c', 'd'].map(look);
  const bare = await world.begin(runner, [...looks, reply('Done.')]);
  await world.untilStatus(bare.turn, 'failed');
  const planned = await world.begin(runner, [
    plan('look around'),
    ...looks,
    reply('I did not look around.'),
  ]);
  await world.untilStatus(planned.turn, 'completed');
  expect(await answerOf(planned.turn)).toBe('I did not look around.');
});
