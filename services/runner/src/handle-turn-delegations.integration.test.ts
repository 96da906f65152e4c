import { caller } from '@loom/runtime/test-support/runtime-world';
import type { ToolCall } from '@loom/shared/chat';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from './test-support/attempt-world.ts';
import { reply, scriptedModels } from './test-support/scripted-models.ts';
import { openTurnWorld, type TurnRunner, type TurnWorld } from './test-support/turn-world.ts';

let world: TurnWorld;
let runner: TurnRunner;

beforeAll(async () => {
  world = await openTurnWorld();
  runner = await world.startRunner({
    cowork: { max_open_delegations: 10, max_tool_iterations: 14 },
  });
});
afterAll(async () => {
  await runner.stop();
  await world.drop();
});

const free = { approval_mode: 'disabled' } as const;

const delegate = (id: string, wait: boolean): ToolCall => ({
  id,
  name: 'delegate_task',
  arguments: { goal: `goal ${id}`, wait },
});

const tasksOf = async (session: string) =>
  (
    await world.rows<{ id: string }>(
      'SELECT id FROM tasks WHERE session_id = $1 ORDER BY created_at, id',
      [session],
    )
  ).map(({ id }) => id);

const endTasks = async (session: string) => {
  for (const id of await tasksOf(session)) await runner.intake.stopTask(caller, id, 'abort');
};

/** What the conversation was told of ended tasks in a model call. */
const delivered = (at: number) =>
  (world.asked().at(at)?.messages ?? [])
    .slice(1)
    .filter(({ role, content }) => role === 'system' && content.includes('has ended.'))
    .map(({ content }) => content);

test('a result that nobody waited for is part of the next turn', async () => {
  const replies = [reply('', delegate('a', false)), reply('started'), reply('so it failed')];
  const { session, turn } = await world.begin(runner, replies, free);
  await world.untilStatus(turn, 'completed');
  const [task] = await tasksOf(session);
  expect(world.results().at(-1)).toContain(task);
  await endTasks(session);
  await world.untilStatus(await world.send(runner, session), 'completed');
  expect(delivered(-1)).toHaveLength(1);
  expect(delivered(-1)[0]).toContain(`Task ${task}`);
  expect(delivered(-1)[0]).toContain('Verification: unverified');
});

test('it reaches a turn that still runs with its next model call', async () => {
  const session = await world.newSession(runner, free);
  world.useModels(
    scriptedModels([
      reply('', delegate('a', false)),
      async () => {
        await endTasks(session);
        return reply('', call('1', 'look', 'b'));
      },
      reply('so it failed'),
    ]),
  );
  await world.untilStatus(await world.send(runner, session), 'completed');
  expect(delivered(1)).toEqual([]);
  expect(delivered(2)).toHaveLength(1);
});

test('50 turns wait for their tasks at once without a worker, and another is answered meanwhile', async () => {
  const plain = scriptedModels([]);
  const hasResult = (content: string) => content.startsWith('Task cancelled');
  world.useModels({
    ...plain,
    complete: async ({ messages }) => {
      if (messages.some(({ content }) => content === 'only talk')) return reply('hello');
      const done = messages.some(({ role, content }) => role === 'tool' && hasResult(content));
      return done ? reply('all done') : reply('', delegate('a', true));
    },
  });
  const begun = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const session = await world.newSession(runner, free);
      return { session, turn: await world.send(runner, session) };
    }),
  );
  for (const { turn } of begun) await world.untilStatus(turn, 'awaiting_task');
  while (runner.runtime.slots.active('turns') > 0) await world.rows('SELECT 1');
  const input = { content: 'only talk', if_busy: 'queue' } as const;
  const other = await world.newSession(runner);
  const { body } = await runner.intake.acceptTurn(caller, other, input, null);
  await world.untilStatus(body.turn_id, 'completed');
  for (const { turn } of begun) expect(await world.statusOf(turn)).toBe('awaiting_task');
  await Promise.all(begun.map(({ session }) => endTasks(session)));
  for (const { turn } of begun) await world.untilStatus(turn, 'completed');
});

test('a model that always delegates has so many tasks and no more, and its turn ends', async () => {
  const replies = Array.from({ length: 14 }, (_, index) => reply('', delegate(`c${index}`, false)));
  const { session, turn } = await world.begin(runner, replies, free);
  await world.untilStatus(turn, 'failed');
  expect(await tasksOf(session)).toHaveLength(10);
  const answers = world.results();
  expect(answers[9]).toContain('was started');
  expect(answers[10]).toContain('10 delegated tasks of this conversation are still under way');
  expect((await world.events(session, 'turn.failed'))[0]?.data.code).toBe('iterations_exhausted');
});

test('where it waits for what it may not delegate, the turn goes on with that answer', async () => {
  const many = Array.from({ length: 10 }, (_, index) => delegate(`c${index}`, false));
  const replies = [reply('', ...many), reply('', delegate('last', true)), reply('I see')];
  const { session, turn } = await world.begin(runner, replies, free);
  await world.untilStatus(turn, 'completed');
  expect(world.results().at(-1)).toContain('still under way');
  await endTasks(session);
});
