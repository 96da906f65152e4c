import { decideTurn } from '@loom/engine/decide-turn';
import { newId } from '@loom/shared/ids';
import { beforeAll, describe, expect, test } from 'vitest';
import { acceptTurn } from './accept-turn.ts';
import { loadTurn } from './load-turn.ts';
import { openTurnWorld, type TurnWorld } from './test-support/turn-world.ts';
import { inTransaction } from './transaction.ts';

let world: TurnWorld;
beforeAll(async () => {
  world = await openTurnWorld();
});

describe('messages', () => {
  test.each([
    `UPDATE messages SET content = 'x'`,
    `UPDATE messages SET turn_id = NULL`,
    'DELETE FROM messages',
    'TRUNCATE messages',
    'TRUNCATE sessions CASCADE',
  ])('are append-only, whoever asks: %s', async (statement) => {
    const session = await world.newSession();
    await world.send(session, 'to stay');
    await expect(world.rows(statement)).rejects.toThrow('messages are append-only');
    expect(await world.messages(session)).toEqual(['1 user: to stay']);
  });

  test('20 racing senders get numbers without gaps, and one turn is given out at a time', async () => {
    const session = await world.newSession();
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, n) => world.send(session, `message ${n}`)),
    );
    const numbers = sent.map(({ accepted }) => accepted.message_number);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(sent.flatMap(({ rings }) => rings)).toHaveLength(1);

    const byNumber = sent.toSorted((a, b) => a.accepted.message_number - b.accepted.message_number);
    for (const [at, { accepted }] of byNumber.entries()) {
      const open = await world.rows(
        `SELECT id FROM units WHERE session_id = $1 AND status IN ('waiting', 'claimed')`,
        [session],
      );
      expect(open).toEqual([{ id: accepted.turn_id }]);
      const claimed = await world.claim(accepted.turn_id, 0);
      expect(claimed.outcome).toBe('claimed');
      const turn = { session_id: session, turn_id: accepted.turn_id, epoch: 1 };
      const ended = await world.commit(turn, { input: { kind: 'finished' } });
      const next = byNumber[at + 1]?.accepted.turn_id;
      expect(ended).toMatchObject({
        rings: next === undefined ? [] : [{ queue: 'turns', unit_id: next, epoch: 0 }],
      });
    }
    const [log] = await world.rows(
      `SELECT count(*) AS n, max(seq) AS last, min(seq) AS first FROM session_events WHERE session_id = $1`,
      [session],
    );
    // One for the session; accepted, message, started and completed for each turn.
    expect(log).toEqual({ n: 81, last: 81, first: 1 });
  });

  test('one that is not committed after all leaves no gap', async () => {
    const session = await world.newSession();
    await world.send(session, 'one');
    await expect(
      inTransaction(world.database, async (client) => {
        const input = { content: 'never', if_busy: 'queue' } as const;
        const turn = { tenant_id: 'default', session_id: session, turn_id: newId('turn') };
        const sent = await acceptTurn(client, { ...turn, actor: 'key', input, decide: decideTurn });
        throw new Error(`gone: ${sent.accepted.message_number}`);
      }),
    ).rejects.toThrow('gone: 2');
    await world.send(session, 'two');
    expect(await world.messages(session)).toEqual(['1 user: one', '2 user: two']);
  });

  test('a long one stands whole in the archive, and by its beginning in its event', async () => {
    const session = await world.newSession();
    // The cut would fall into the middle of a character, which the database refuses.
    const content = `x${'😀'.repeat(20_000)}`;
    await world.send(session, content);
    const [stored] = await world.rows<{ whole: boolean; title: string }>(
      `SELECT m.content = $2 AS whole, s.title FROM messages m JOIN sessions s ON s.id = m.session_id
        WHERE m.session_id = $1`,
      [session, content],
    );
    expect(stored).toEqual({ whole: true, title: `x${'😀'.repeat(39)}…` });
    const [event] = await world.rows<{ content: string; truncated: string }>(
      `SELECT data->>'content' AS content, data->>'truncated' AS truncated FROM session_events
        WHERE session_id = $1 AND type = 'message.appended'`,
      [session],
    );
    expect(event?.truncated).toBe('true');
    expect(event?.content).toBe(`x${'😀'.repeat(15_999)}`);
  });
});

describe('what a turn is given to read', () => {
  const read = async (session: string, turn: string) => {
    const unit = { tenant_id: 'default', session_id: session, turn_id: turn };
    const brief = await loadTurn(world.database, unit as Parameters<typeof loadTurn>[1]);
    return brief?.recent.map(({ message }) => message.content);
  };

  test('is itself and what came before, not what waits behind it', async () => {
    const session = await world.newSession();
    const first = await world.begin(session, 'one?');
    const second = await world.send(session, 'two?');
    await world.send(session, 'three?');
    const answer = { role: 'assistant', content: 'one!' } as const;
    await world.commit(first, { messages: [answer], input: { kind: 'finished' } });
    expect(await read(session, second.accepted.turn_id)).toEqual(['one?', 'two?', 'one!']);
    expect(await read(session, first.turn_id)).toEqual(['one?', 'one!']);
  });

  test('is all of itself, however much it is and however much waits behind it', async () => {
    const session = await world.newSession();
    await world.commit(await world.begin(session, 'before?'), { input: { kind: 'finished' } });
    const turn = await world.begin(session, 'mine?');
    const lines = Array.from({ length: 600 }, (_, n) => `step ${n}`);
    await world.commit(turn, {
      messages: lines.map((content) => ({ role: 'assistant', content })),
    });
    const later = await world.send(session, 'later?');
    await world.rows(
      `INSERT INTO messages (session_id, number, tenant_id, turn_id, role, content)
        SELECT $1, 1000 + n, 'default', $2, 'user', 'later' FROM generate_series(1, 600) n`,
      [session, later.accepted.turn_id],
    );
    expect(await read(session, turn.turn_id)).toEqual(['before?', 'mine?', ...lines]);
  });

  test('is nothing of another tenant', async () => {
    const session = await world.newSession();
    const { turn_id } = await world.begin(session);
    const unit = { tenant_id: 'other', session_id: session, turn_id };
    expect(await loadTurn(world.database, unit as Parameters<typeof loadTurn>[1])).toBeNull();
  });
});
