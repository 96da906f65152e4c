import { decideTurn } from '@loom/engine/decide-turn';
import { nothingSpent } from '@loom/shared/budget';
import { beforeAll, expect, test } from 'vitest';
import { lockSession } from './accept-turn.ts';
import { type OwnedTurn, openTurnWorld, type TurnWorld } from './test-support/turn-world.ts';
import { inTransaction } from './transaction.ts';
import { applyTurnInput, readTurn } from './turn-rows.ts';

let world: TurnWorld;
beforeAll(async () => {
  world = await openTurnWorld();
});

const away = (turn: OwnedTurn, seconds: number) =>
  world.commit(turn, {
    events: [{ type: 'model.parked', data: { reason: 'model_rate_limited', seconds } }],
    input: { kind: 'model_away', seconds, reason: 'model_rate_limited' },
  });

/** What the sweeper does with a parked unit that is due. */
const wake = (id: string) =>
  world.rows(`UPDATE units SET status = 'waiting' WHERE id = $1 AND status = 'parked'`, [id]);

test('a turn whose model is away gives its worker back, and goes on as one that waited', async () => {
  const session = await world.newSession();
  const turn = await world.begin(session);
  expect(await away(turn, 30)).toMatchObject({ outcome: 'applied', rings: [] });
  expect(await world.turnRow(turn.turn_id)).toMatchObject({ status: 'queued' });
  const unit = await world.unitRow(turn.turn_id);
  expect(unit).toMatchObject({ status: 'parked', parked_for: 'model', starts: 0 });
  expect(unit?.due_in).toBeGreaterThan(20);
  expect(unit?.due_in).toBeLessThanOrEqual(30);
  expect(await world.claim(turn.turn_id, 1)).toMatchObject({ outcome: 'refused' });
  await wake(turn.turn_id);
  expect(await world.claim(turn.turn_id, 1)).toMatchObject({ outcome: 'claimed' });
  expect(await world.unitRow(turn.turn_id)).toMatchObject({
    status: 'claimed',
    epoch: 2,
    starts: 1,
    parked_for: null,
    due_in: null,
  });
  expect((await world.events(session)).slice(-3)).toEqual([
    'model.parked',
    'turn.parked',
    'turn.started',
  ]);
});

test('waits add up; a reply makes the next wait the first of its row again', async () => {
  const turn = await world.begin(await world.newSession());
  for (const [index, seconds] of [5, 10, 2.5].entries()) {
    await away({ ...turn, epoch: index + 1 }, seconds);
    await wake(turn.turn_id);
    await world.claim(turn.turn_id, index + 1);
  }
  expect(await world.unitRow(turn.turn_id)).toMatchObject({ parked_seconds: 17.5, model_parks: 3 });
  const owner = { ...turn, epoch: 4 };
  await world.commit(owner, { messages: [{ role: 'tool', content: 'of an earlier call' }] });
  expect(await world.unitRow(turn.turn_id)).toMatchObject({ model_parks: 3 });
  await world.commit(owner, {
    messages: [{ role: 'assistant', content: 'here I am' }],
    spent: { ...nothingSpent, model_calls: 1 },
  });
  expect(await world.unitRow(turn.turn_id)).toMatchObject({ parked_seconds: 17.5, model_parks: 0 });
});

test('waiting for people and tasks is not counted', async () => {
  const turn = await world.begin(await world.newSession());
  await world.commit(turn, { input: { kind: 'parked', on: 'user' }, awaiting_call_id: 'q' });
  expect(await world.unitRow(turn.turn_id)).toMatchObject({
    status: 'parked',
    parked_for: null,
    parked_seconds: 0,
    due_in: null,
  });
});

test('cancelled while it waits for its model, it ends at once and the next turn begins', async () => {
  const session = await world.newSession();
  const turn = await world.begin(session);
  const { accepted, rings } = await world.send(session, 'next');
  expect(rings).toEqual([]);
  await away(turn, 60);
  expect(await world.claim(accepted.turn_id, 0)).toMatchObject({ outcome: 'refused' });
  const stopped = await inTransaction(world.database, async (client) => {
    const locked = await lockSession(client, 'default', session);
    const row = await readTurn(client, turn.turn_id);
    if (row === null) throw new Error('no turn');
    const input = { kind: 'stop_requested', by: 'key_stop' } as const;
    const base = { client, decide: decideTurn, session: locked, turn: row, lines: [] };
    return applyTurnInput({ ...base, input });
  });
  expect(stopped.status).toBe('cancelled');
  expect(stopped.rings).toEqual([
    { queue: 'turns', tenant_id: 'default', unit_id: accepted.turn_id, epoch: 0 },
  ]);
  expect(await world.unitRow(turn.turn_id)).toMatchObject({ status: 'withdrawn', due_in: null });
});
