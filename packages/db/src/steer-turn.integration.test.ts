import { decideTurn } from '@loom/engine/decide-turn';
import { nothingSpent } from '@loom/shared/budget';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lockSession } from './accept-turn.ts';
import { type OwnedTurn, openTurnWorld, type TurnWorld } from './test-support/turn-world.ts';
import { inTransaction } from './transaction.ts';
import { applyTurnInput, readTurn } from './turn-rows.ts';

let world: TurnWorld;
beforeAll(async () => {
  world = await openTurnWorld();
});
afterAll(() => world.drop());

const answer = (turn: OwnedTurn, known_message: number) =>
  world.commit(turn, {
    known_message,
    messages: [{ role: 'assistant', content: 'there you are' }],
    spent: { ...nothingSpent, tokens: 7, model_calls: 1 },
    input: { kind: 'finished' },
  });

test('a steering message is part of the running turn at once, and its owner hears of it', async () => {
  const session = await world.newSession();
  const turn = await world.begin(session, 'paint it red');
  const { accepted, rings } = await world.send(session, 'no, blue', 'steer');
  expect(accepted).toEqual({ turn_id: turn.turn_id, session_id: session, message_number: 2 });
  expect(rings).toEqual([]);
  expect((await world.events(session)).slice(-2)).toEqual(['turn.steered', 'message.appended']);
  const result = await world.commit(turn, {
    known_message: 1,
    messages: [{ role: 'tool', content: 'of a call' }],
  });
  expect(result).toMatchObject({ outcome: 'applied', news: true, numbers: [3] });
  expect(await world.commit(turn, { known_message: 3 })).toMatchObject({ news: false });
});

test('a turn does not end over what it has not read: its reply is kept, its cost counted', async () => {
  const session = await world.newSession();
  const turn = await world.begin(session);
  await world.send(session, 'one thing more', 'steer');
  expect(await answer(turn, 1)).toMatchObject({ outcome: 'not_ended', news: true, numbers: [3] });
  expect(await world.turnRow(turn.turn_id)).toMatchObject({ status: 'running' });
  expect(await world.unitRow(turn.turn_id)).toMatchObject({ status: 'claimed' });
  expect(await world.messages(session)).toEqual([
    '1 user: hello',
    '2 user: one thing more',
    '3 assistant: there you are',
  ]);
  const sql = `SELECT t.model_calls, s.total_tokens FROM turns t JOIN sessions s ON s.id = t.session_id
    WHERE t.id = $1`;
  expect(await world.rows(sql, [turn.turn_id])).toEqual([{ model_calls: 1, total_tokens: 7 }]);
  expect(await answer(turn, 3)).toMatchObject({ outcome: 'applied', news: false });
  expect(await world.turnRow(turn.turn_id)).toMatchObject({ status: 'completed' });
});

test('what waits in a later turn is no news and keeps no turn from ending', async () => {
  const session = await world.newSession();
  const turn = await world.begin(session);
  const { accepted } = await world.send(session, 'next');
  expect(await world.commit(turn, { known_message: 1 })).toMatchObject({ news: false });
  const ended = await answer(turn, 1);
  expect(ended).toMatchObject({ outcome: 'applied', rings: [{ unit_id: accepted.turn_id }] });
});

test('a result that its owner has not read is news, and keeps no turn from ending', async () => {
  const turn = await world.begin(await world.newSession());
  await world.commit(turn, { messages: [{ role: 'tool', content: 'of a task' }] });
  expect(await answer(turn, 1)).toMatchObject({ outcome: 'applied', news: true });
});

test('a turn that fails or is stopped ends, whatever it has not read', async () => {
  for (const input of [
    { kind: 'failed', error: { code: 'internal', message: 'm' } },
    { kind: 'stopped' },
  ] as const) {
    const session = await world.newSession();
    const turn = await world.begin(session);
    await world.send(session, 'hm', 'steer');
    expect(await world.commit(turn, { known_message: 1, input })).toMatchObject({
      outcome: 'applied',
    });
  }
});

test('a question is not put before the model has read what the user just said', async () => {
  const session = await world.newSession();
  const turn = await world.begin(session);
  await world.send(session, 'blue, by the way', 'steer');
  const ask = { input: { kind: 'parked', on: 'user' }, awaiting_call_id: 'q' } as const;
  expect(await world.commit(turn, { ...ask, known_message: 1 })).toEqual({ outcome: 'not_parked' });
  expect(await world.turnRow(turn.turn_id)).toMatchObject({ status: 'running' });
  expect(await world.commit(turn, { ...ask, known_message: 2 })).toMatchObject({
    outcome: 'applied',
  });
  const { accepted } = await world.send(session, 'dark blue', 'steer');
  expect(accepted.turn_id).toBe(turn.turn_id);
  expect((await world.messages(session)).slice(-2)).toEqual([
    '3 tool: dark blue',
    '4 user: dark blue',
  ]);
});

test('one that waits for a worker or is parked is steered too, and stays where it is', async () => {
  const session = await world.newSession();
  const queued = await world.send(session, 'first');
  const early = await world.send(session, 'in French', 'steer');
  expect(early.accepted.turn_id).toBe(queued.accepted.turn_id);
  const claimed = await world.claim(queued.accepted.turn_id, 0);
  expect(claimed.outcome).toBe('claimed');
  const turn = { session_id: session, turn_id: queued.accepted.turn_id, epoch: 1 };
  const input = { kind: 'model_away', seconds: 60, reason: 'model_rate_limited' } as const;
  await world.commit(turn, { input });
  const late = await world.send(session, 'and short', 'steer');
  expect(late).toMatchObject({ accepted: { turn_id: turn.turn_id }, rings: [] });
  expect(await world.unitRow(turn.turn_id)).toMatchObject({ status: 'parked' });
});

test('steering is an ordinary message where no turn is open, or the open one is to stop', async () => {
  const session = await world.newSession();
  const first = await world.send(session, 'hello', 'steer');
  expect(first.rings).toHaveLength(1);
  await world.claim(first.accepted.turn_id, 0);
  await inTransaction(world.database, async (client) => {
    const locked = await lockSession(client, 'default', session);
    const turn = await readTurn(client, first.accepted.turn_id);
    if (turn === null) throw new Error('no turn');
    const input = { kind: 'stop_requested', by: 'key_stop' } as const;
    await applyTurnInput({ client, decide: decideTurn, session: locked, turn, input, lines: [] });
  });
  const second = await world.send(session, 'instead', 'steer');
  expect(second.accepted.turn_id).not.toBe(first.accepted.turn_id);
  expect(await world.turnRow(second.accepted.turn_id)).toMatchObject({ status: 'queued' });
});

test('in a race between the last word and a steering message no message is left unread', async () => {
  for (let round = 0; round < 40; round++) {
    const session = await world.newSession();
    const turn = await world.begin(session);
    const steer = () => world.send(session, 'wait', 'steer');
    const racers = [() => answer(turn, 1), steer];
    const [a, b] = round % 2 === 0 ? racers : racers.reverse();
    const results = await Promise.all([a?.(), b?.()]);
    const ended = results.find((one) => one !== undefined && 'outcome' in one);
    const sent = results.find((one) => one !== undefined && 'accepted' in one);
    const joined = sent?.accepted.turn_id === turn.turn_id;
    expect(ended?.outcome).toBe(joined ? 'not_ended' : 'applied');
    if (joined) expect(await answer(turn, 3)).toMatchObject({ outcome: 'applied' });
    else expect(sent?.rings).toMatchObject([{ unit_id: sent?.accepted.turn_id }]);
  }
});
