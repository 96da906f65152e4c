import { beforeAll, expect, test } from 'vitest';
import { delegationsIn } from './test-support/delegations.ts';
import { openTurnWorld, type TurnWorld } from './test-support/turn-world.ts';

let world: TurnWorld;
let tasks: ReturnType<typeof delegationsIn>;
beforeAll(async () => {
  world = await openTurnWorld();
  tasks = delegationsIn(world);
});

/** A turn that delegated without waiting, with the call answered. */
async function delegated() {
  const session = await world.newSession();
  const turn = await world.begin(session);
  const task = await tasks.delegate(turn, 'call_1', { wait: false });
  const handle = { role: 'tool', content: 'started', tool_call_id: 'call_1' } as const;
  await world.commit(turn, { messages: [handle] });
  return { session, turn, task };
}

const lastEvent = async (session: string) =>
  (
    await world.rows<{ type: string; turn_id: string | null; task_id: string; data: object }>(
      `SELECT type, turn_id, task_id, data FROM session_events
        WHERE session_id = $1 ORDER BY seq DESC LIMIT 1`,
      [session],
    )
  )[0];

test('the result of a task that nobody waits for becomes a message of the conversation', async () => {
  const { session, turn, task } = await delegated();
  await world.commit(turn, { input: { kind: 'finished' } });
  expect(await tasks.endTask(task)).toEqual([]);
  const [line] = (await world.messages(session)).slice(-1);
  expect(line).toContain(`4 system: Task ${task}, which this conversation delegated`);
  expect(line).toContain('Task cancelled: "g"');
  expect(line).toContain('Verification: unverified');
  expect(await lastEvent(session)).toMatchObject({
    type: 'message.appended',
    turn_id: null,
    task_id: task,
    data: { number: 4, role: 'system', turn_id: null },
  });
});

test('it is news to a running turn, and keeps none from ending', async () => {
  const { session, turn, task } = await delegated();
  await tasks.endTask(task);
  expect(await world.commit(turn, { known_message: 3 })).toMatchObject({ news: true });
  const last = { known_message: 3, input: { kind: 'finished' } } as const;
  expect(await world.commit(turn, last)).toMatchObject({ outcome: 'applied' });
  expect(await world.messages(session)).toHaveLength(4);
});

test('a task that is retried tells of each of its ends', async () => {
  const { session, task } = await delegated();
  await tasks.endTask(task);
  await tasks.retry(task);
  expect(await world.messages(session)).toHaveLength(4);
  await tasks.endTask(task);
  const roles = (await world.messages(session)).slice(3).map((line) => line.split(':', 1)[0]);
  expect(roles).toEqual(['4 system', '5 system']);
});

test('a task that the turn waits for answers its call and nothing else', async () => {
  const session = await world.newSession();
  const turn = await world.begin(session);
  const task = await tasks.delegate(turn, 'call_1');
  await world.commit(turn, { input: { kind: 'parked', on: 'task' } });
  expect(await tasks.endTask(task)).toMatchObject([{ unit_id: turn.turn_id }]);
  const roles = (await world.messages(session)).map((line) => line.split(':', 1)[0]);
  expect(roles).toEqual(['1 user', '2 assistant', '3 tool']);
  expect(await lastEvent(session)).toMatchObject({ turn_id: turn.turn_id, task_id: task });
});
