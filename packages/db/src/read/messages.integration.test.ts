import { beforeAll, describe, expect, test } from 'vitest';
import { openTurnWorld, type TurnWorld } from '../test-support/turn-world.ts';
import { listMessages, readMessages } from './messages.ts';

let world: TurnWorld;
beforeAll(async () => {
  world = await openTurnWorld();
});

/** A session with messages 1..count, as if someone had sent them. */
async function sessionOf(count: number, content = `'message ' || n`): Promise<string> {
  const session = await world.newSession();
  await world.rows(
    `INSERT INTO messages (session_id, number, tenant_id, role, content)
      SELECT $1, n, 'default', 'user', ${content} FROM generate_series(1, $2::int) n`,
    [session, count],
  );
  await world.rows('UPDATE sessions SET last_message_number = $2 WHERE id = $1', [session, count]);
  return session;
}

type Window = { after?: number; before?: number; limit?: number; max_bytes?: number };

const page = async (session_id: string, window: Window, tenant_id = 'default') => {
  const query = { tenant_id, session_id, limit: 3, ...window };
  const { items, has_more } = await listMessages(world.database, query);
  return { numbers: items.map(({ number }) => number), has_more };
};

describe('a page of messages', () => {
  test.each<[Window, number[], boolean]>([
    [{}, [1, 2, 3], true],
    [{ after: 0 }, [1, 2, 3], true],
    [{ after: 4 }, [5, 6, 7], false],
    [{ after: 5 }, [6, 7], false],
    [{ after: 7 }, [], false],
    [{ after: 99 }, [], false],
    [{ before: 0 }, [], false],
    [{ before: 1 }, [], false],
    [{ before: 2 }, [1], false],
    [{ before: 4 }, [1, 2, 3], false],
    [{ before: 5 }, [2, 3, 4], true],
    [{ before: 8 }, [5, 6, 7], true],
    [{ before: Number.MAX_SAFE_INTEGER }, [5, 6, 7], true],
    [{ after: 2, before: 6 }, [3, 4, 5], false],
    [{ after: 2, before: 7 }, [3, 4, 5], true],
    [{ after: 3, before: 4 }, [], false],
    [{ after: 5, before: 3 }, [], false],
    [{ limit: 7 }, [1, 2, 3, 4, 5, 6, 7], false],
    [{ limit: 6 }, [1, 2, 3, 4, 5, 6], true],
    [{ before: 8, limit: 1 }, [7], true],
  ])('%j of seven', async (window, numbers, has_more) => {
    const session = await sessionOf(7);
    expect(await page(session, window)).toEqual({ numbers, has_more });
    expect(await page(session, window, 'other')).toEqual({ numbers: [], has_more: false });
  });

  test('ends with the message that makes it too large, and has one in any case', async () => {
    const session = await sessionOf(5, `repeat('é', 500)`);
    expect(await page(session, { max_bytes: 1 })).toEqual({ numbers: [1], has_more: true });
    expect(await page(session, { max_bytes: 1_001 })).toEqual({ numbers: [1, 2], has_more: true });
    const older = { before: 4, max_bytes: 1_001 };
    expect(await page(session, older)).toEqual({ numbers: [2, 3], has_more: true });
    const oldest = { before: 3, max_bytes: 1_001 };
    expect(await page(session, oldest)).toEqual({ numbers: [1, 2], has_more: false });
  });

  test('counts what calls are given, too', async () => {
    const session = await world.newSession();
    const turn = await world.begin(session);
    const call = { id: 'c', name: 'write_file', arguments: { content: 'x'.repeat(10_000) } };
    const message = { role: 'assistant' as const, content: '', tool_calls: [call] };
    await world.commit(turn, { messages: [message, message, message] });
    expect(await page(session, { limit: 10, max_bytes: 15_000 })).toEqual({
      numbers: [1, 2, 3],
      has_more: true,
    });
  });

  test('is the same however many arrive, in both directions', async () => {
    const session = await world.newSession();
    const sending = Array.from({ length: 30 }, (_, n) => world.send(session, `${n}`));
    await Promise.all(sending.slice(0, 10));
    const middle = await page(session, { before: 8 });
    const forwards: number[] = [];
    const backwards: number[] = [];
    while (forwards.length < 30) {
      const { numbers } = await page(session, { after: forwards.at(-1) ?? 0 });
      forwards.push(...numbers);
      if (numbers.length === 0) await Promise.all(sending);
    }
    for (let before = 31; before > 1; before = backwards[0] ?? 0) {
      backwards.unshift(...(await page(session, { before, limit: 4 })).numbers);
    }
    const all = Array.from({ length: 30 }, (_, n) => n + 1);
    expect(forwards).toEqual(all);
    expect(backwards).toEqual(all);
    expect(await page(session, { before: 8 })).toEqual(middle);
  });
});

describe('the whole archive', () => {
  const read = async (session_id: string, last: number, tenant_id = 'default') => {
    const pages: number[][] = [];
    for await (const items of readMessages(world.database, { tenant_id, session_id, last })) {
      pages.push(items.map(({ number }) => number));
    }
    return pages;
  };

  test('comes in order and in pages, up to the number asked for', async () => {
    const session = await sessionOf(2_500);
    const pages = await read(session, 2_400);
    expect(pages.map(({ length }) => length)).toEqual([1_000, 1_000, 400]);
    expect(pages.flat()).toEqual(Array.from({ length: 2_400 }, (_, n) => n + 1));
    expect(await read(session, 2_400, 'other')).toEqual([]);
    expect(await read(session, 0)).toEqual([]);
  });

  test('holds few long messages at a time', async () => {
    const session = await sessionOf(5, `repeat('x', 600000)`);
    expect(await read(session, 5)).toEqual([[1, 2], [3, 4], [5]]);
  });
});
