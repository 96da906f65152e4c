import { nothingSpent } from '@loom/shared/budget';
import { beforeAll, describe, expect, test } from 'vitest';
import { releaseUnit } from './leases.ts';
import { delegationsIn } from './test-support/delegations.ts';
import {
  maxStarts,
  type OwnedTurn,
  openTurnWorld,
  type TurnWorld,
} from './test-support/turn-world.ts';

let world: TurnWorld;
let tasks: ReturnType<typeof delegationsIn>;
let session: string;
beforeAll(async () => {
  world = await openTurnWorld();
  tasks = delegationsIn(world);
});

const release = (turn: OwnedTurn, error: string | null) =>
  releaseUnit(
    world.database,
    { unit_id: turn.turn_id, epoch: turn.epoch },
    { error, counts_as_start: error !== null },
  );

describe('claiming', () => {
  test('of many who claim a turn at once, one gets it', async () => {
    session = await world.newSession();
    const { accepted } = await world.send(session, 'hello');
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => world.claim(accepted.turn_id, 0)),
    );
    const outcomes = claims.map(({ outcome }) => outcome).toSorted();
    expect(outcomes).toEqual(['claimed', ...Array(7).fill('refused')]);
    expect(await world.unitRow(accepted.turn_id)).toMatchObject({ status: 'claimed', epoch: 1 });
    expect((await world.events(session)).filter((type) => type === 'turn.started')).toHaveLength(1);
  });

  test('an unknown turn and another epoch are refused', async () => {
    session = await world.newSession();
    expect(await world.claim('turn_none', 0)).toMatchObject({ outcome: 'refused' });
    const { accepted } = await world.send(session, 'hello');
    expect(await world.claim(accepted.turn_id, 1)).toMatchObject({ outcome: 'refused' });
    expect(await world.unitRow(accepted.turn_id)).toMatchObject({ status: 'waiting', epoch: 0 });
  });

  test('a turn started too often without progress is dead, and the next one begins', async () => {
    session = await world.newSession();
    const { accepted } = await world.send(session, 'poison');
    const next = await world.send(session, 'next');
    for (let epoch = 0; epoch < maxStarts; epoch++) {
      expect(await world.claim(accepted.turn_id, epoch)).toMatchObject({ outcome: 'claimed' });
      await release({ session_id: session, turn_id: accepted.turn_id, epoch: epoch + 1 }, 'boom');
    }
    const reason = `started ${maxStarts} times without progress: boom`;
    expect(await world.claim(accepted.turn_id, maxStarts)).toMatchObject({
      outcome: 'dead',
      reason,
      rings: [{ queue: 'turns', tenant_id: 'default', unit_id: next.accepted.turn_id, epoch: 0 }],
    });
    expect(await world.turnRow(accepted.turn_id)).toEqual({
      status: 'failed',
      error: { code: 'dead_letter', message: reason },
    });
    expect(await world.unitRow(accepted.turn_id)).toMatchObject({
      status: 'dead',
      starts: maxStarts,
      dead_reason: reason,
    });
  });

  test('progress, and being given back in good order, start the count anew', async () => {
    session = await world.newSession();
    const turn = await world.begin(session);
    await world.commit(turn, { messages: [{ role: 'assistant', content: 'a step' }] });
    expect(await world.unitRow(turn.turn_id)).toMatchObject({ starts: 0 });
    await release(turn, null);
    await world.claim(turn.turn_id, 1);
    await release({ ...turn, epoch: 2 }, null);
    expect(await world.unitRow(turn.turn_id)).toMatchObject({ status: 'waiting', starts: 0 });
  });
});

describe('a stale owner', () => {
  test('writes nothing at all', async () => {
    session = await world.newSession();
    const zombie = await world.begin(session, 'hello');
    await release(zombie, null);
    const owner = { ...zombie, epoch: 2 };
    expect(await world.claim(owner.turn_id, 1)).toMatchObject({ outcome: 'claimed' });
    const before = await world.events(session);
    let alsoRan = false;
    const refused = await world.commit(
      zombie,
      {
        messages: [{ role: 'assistant', content: 'from the grave' }],
        ledger: [
          {
            key: `${zombie.turn_id}/1/0`,
            tool: 'send',
            effect: 'effectful',
            arguments: {},
            status: 'intent',
            result: null,
            exit_code: null,
            changes: [],
          },
        ],
        spent: { ...nothingSpent, tokens: 7, model_calls: 1, tool_calls: 1 },
        input: { kind: 'finished' },
      },
      async () => {
        alsoRan = true;
      },
    );
    expect(refused).toEqual({ outcome: 'refused' });
    expect(alsoRan).toBe(false);
    expect(await world.messages(session)).toEqual(['1 user: hello']);
    expect(await world.events(session)).toEqual(before);
    expect(
      await world.rows('SELECT 1 FROM tool_calls WHERE turn_id = $1', [zombie.turn_id]),
    ).toEqual([]);
    expect(await world.turnRow(zombie.turn_id)).toMatchObject({ status: 'running' });
    expect(await world.commit(owner, { input: { kind: 'finished' } })).toMatchObject({
      outcome: 'applied',
    });
    expect(
      await world.commit(owner, { messages: [{ role: 'assistant', content: 'late' }] }),
    ).toEqual({
      outcome: 'refused',
    });
  });
});

describe('waiting for a task', () => {
  test('parked before the answer: the answer wakes the turn', async () => {
    session = await world.newSession();
    const turn = await world.begin(session);
    const task = await tasks.delegate(turn, 'call_1');
    const parked = await world.commit(turn, { input: { kind: 'parked', on: 'task' } });
    expect(parked).toMatchObject({ outcome: 'applied', rings: [] });
    expect(await world.unitRow(turn.turn_id)).toMatchObject({ status: 'parked', epoch: 1 });
    expect(await world.claim(turn.turn_id, 1)).toMatchObject({ outcome: 'refused' });
    expect(await tasks.endTask(task)).toEqual([
      { queue: 'turns', tenant_id: 'default', unit_id: turn.turn_id, epoch: 1 },
    ]);
    expect(await world.claim(turn.turn_id, 1)).toMatchObject({ outcome: 'claimed' });
    expect((await world.messages(session)).at(-1)).toMatch(/^3 tool: /);
  });

  test('answered before it parks: it does not park, and goes on', async () => {
    session = await world.newSession();
    const turn = await world.begin(session);
    const task = await tasks.delegate(turn, 'call_1');
    expect(await tasks.endTask(task)).toEqual([]);
    expect(await world.commit(turn, { input: { kind: 'parked', on: 'task' } })).toEqual({
      outcome: 'not_parked',
    });
    expect(await world.unitRow(turn.turn_id)).toMatchObject({ status: 'claimed', epoch: 1 });
    expect(await world.turnRow(turn.turn_id)).toMatchObject({ status: 'running' });
    expect(await world.commit(turn, { input: { kind: 'finished' } })).toMatchObject({
      outcome: 'applied',
    });
  });

  test('answer and park at the same moment: it is never left parked without a ring', async () => {
    for (let round = 0; round < 10; round++) {
      session = await world.newSession();
      const turn = await world.begin(session);
      const task = await tasks.delegate(turn, 'call_1');
      const [park, rings] = await Promise.all([
        world.commit(turn, { input: { kind: 'parked', on: 'task' } }),
        tasks.endTask(task),
      ]);
      const { status } = (await world.unitRow(turn.turn_id)) ?? {};
      if (park.outcome === 'not_parked')
        expect({ status, rings }).toEqual({ status: 'claimed', rings: [] });
      else expect({ status, rings: rings.length }).toEqual({ status: 'waiting', rings: 1 });
    }
  });

  test('one call makes one task, however often it is carried out', async () => {
    session = await world.newSession();
    const turn = await world.begin(session);
    const task = await tasks.delegate(turn, 'call_1');
    const again = await tasks.delegate(turn, 'call_1');
    expect(await world.rows('SELECT id FROM tasks WHERE id = ANY($1)', [[task, again]])).toEqual([
      { id: task },
    ]);
  });
});

describe('waiting for the user', () => {
  const ask = async () => {
    session = await world.newSession();
    const turn = await world.begin(session);
    const tool_calls = [{ id: 'ask_1', name: 'ask_user', arguments: { question: 'which?' } }];
    await world.commit(turn, {
      messages: [{ role: 'assistant', content: '', tool_calls }],
    });
    const input = { kind: 'parked', on: 'user' } as const;
    await world.commit(turn, { input, awaiting_call_id: 'ask_1' });
    return turn;
  };

  test('the next message answers, as the result of the call and as what the user said', async () => {
    const turn = await ask();
    const { accepted, rings } = await world.send(session, 'the blue one', 'reject');
    expect(accepted).toEqual({ turn_id: turn.turn_id, session_id: session, message_number: 4 });
    expect(rings).toEqual([
      { queue: 'turns', tenant_id: 'default', unit_id: turn.turn_id, epoch: 1 },
    ]);
    expect((await world.messages(session)).slice(2)).toEqual([
      '3 tool: the blue one',
      '4 user: the blue one',
    ]);
    const [answer] = await world.rows(
      'SELECT tool_call_id, tool_name FROM messages WHERE session_id = $1 AND number = 3',
      [session],
    );
    expect(answer).toEqual({ tool_call_id: 'ask_1', tool_name: 'ask_user' });
  });

  test('of two messages at once, the second is a turn of its own', async () => {
    const turn = await ask();
    const both = await Promise.all([world.send(session, 'blue'), world.send(session, 'red')]);
    expect(both.map(({ accepted }) => accepted.turn_id)).toContain(turn.turn_id);
    expect(new Set(both.map(({ accepted }) => accepted.turn_id)).size).toBe(2);
    expect(both.flatMap(({ rings }) => rings)).toHaveLength(1);
    const results = (await world.messages(session)).filter((line) => line.includes(' tool: '));
    expect(results).toHaveLength(1);
  });
});
