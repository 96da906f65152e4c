import type { RecallRequest } from '@loom/shared/api';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recallMessages } from './recall.ts';

let database: TestDatabase;

const said: [role: string, content: string, tool_name?: string][] = [
  ['user', 'We will use the blue green deployment for the payment service.'],
  ['assistant', 'Understood: green first, then a blue deployment.'],
  ['user', 'The deployment failed with error E4012 in src/db/pool.ts'],
  ['assistant', 'I will look at the pool.'],
  ['tool', 'const max_connections = 20; // the pool', 'read_file'],
  ['assistant', 'The database connections were exhausted.'],
  ['tool', 'recalled: blue green deployment', 'conversation_recall'],
  ['user', 'Never touch C++ code -> ask me first. to be or not to be'],
  ['user', '我们决定使用数据库连接池，上限是三十。'],
  ['assistant', 'Renamed parseUserHeader to read_user_header in version v2.4.10 for Ångström.'],
];
const unfinished: [turn_id: string, status: string, content: string][] = [
  ['turn_asking', 'running', 'When was the walrus migration?'],
  ['turn_queued', 'queued', 'Next: the walrus invoices.'],
];

beforeAll(async () => {
  database = await createTestDatabase();
  await database.rows(`INSERT INTO tenants (id) VALUES ('t'), ('other')`);
  await database.rows(`INSERT INTO sessions (id, tenant_id) VALUES ('ses_1', 't'), ('ses_2', 't')`);
  for (const [index, [role, content, tool_name = null]] of said.entries()) {
    await database.rows(
      `INSERT INTO messages (session_id, number, tenant_id, role, content, tool_name, tool_calls, tool_call_id)
       VALUES ('ses_1', $1, 't', $2, $3, $4, $5, $6)`,
      [
        index + 1,
        role,
        content,
        tool_name,
        index === 3
          ? JSON.stringify([{ id: 'c1', name: 'read_file', arguments: { path: 'src/db/pool.ts' } }])
          : null,
        role === 'tool' ? 'c1' : null,
      ],
    );
  }
  for (const [index, [turn_id, status, content]] of unfinished.entries()) {
    await database.rows(
      `WITH turn AS (INSERT INTO turns (id, tenant_id, session_id, status) VALUES ($1, 't', 'ses_1', $2))
       INSERT INTO messages (session_id, number, tenant_id, turn_id, role, content)
       VALUES ('ses_1', $3, 't', $1, 'user', $4)`,
      [turn_id, status, said.length + index + 1, content],
    );
  }
  await database.rows(
    `INSERT INTO messages (session_id, number, tenant_id, role, content)
     VALUES ('ses_2', 1, 't', 'user', 'a zebra of another session')`,
  );
});
afterAll(() => database.drop());

const recall = (request: Partial<RecallRequest>, tenant_id = 't', asking_turn_id?: string) =>
  recallMessages(database.database, {
    tenant_id,
    session_id: 'ses_1',
    request: { action: 'search', limit: 10, ...request },
    asking_turn_id,
  });
const numbers = async (query: string) =>
  (await recall({ query })).matches.map(({ number }) => number);

describe('search', () => {
  it('puts the exact phrase first, then every word, then some', async () => {
    expect(await numbers('blue green deployment')).toEqual([1, 2, 3]);
    expect((await numbers('exhausted database connections'))[0]).toBe(6);
  });

  it('finds other forms, beginnings of words, paths and symbols', async () => {
    expect((await numbers('exhaust'))[0]).toBe(6);
    expect(await numbers('paym')).toEqual([1]);
    expect((await numbers('E4012'))[0]).toBe(3);
    expect((await numbers('src/db/pool.ts'))[0]).toBe(3);
    expect((await numbers('db/pool'))[0]).toBe(3);
    expect(await numbers('C++ code ->')).toContain(8);
    expect(await numbers('->')).toEqual([8]);
    expect(await numbers('max_connections')).toContain(5);
  });

  it.each([
    ['数据库', 9],
    ['连接池 数据库', 9],
    ['parseUserHeader', 10],
    ['parse_user_header', 10],
    ['readUserHeader', 10],
    ['2.4.10', 10],
    ['ÅNGSTRÖM', 10],
    ['pool.ts', 3],
    ['to be or not to be', 8],
  ])('finds all of %s', async (query, number) => {
    const { text, matches } = await recall({ query });
    expect(matches[0]?.number).toBe(number);
    expect(text).toMatch(/^\d+ messages? for "/);
  });

  it.each([
    ['UserHead', 10],
    ['xhauste', 6],
    ['exhuasted', 6],
    ['blue green paymnet', 1],
  ])('finds something like %s and says that it is not the same', async (query, number) => {
    const { text, matches } = await recall({ query });
    expect(matches[0]?.number).toBe(number);
    expect(text).toMatch(/^Nothing matches all of "/);
  });

  it('does not take a number for another that begins or ends with it', async () => {
    for (const query of ['2.4.1', '4.10', 'E401']) {
      expect((await recall({ query })).text).toMatch(/^Nothing /);
    }
  });

  it('says so when only part of the words was found, or nothing', async () => {
    const part = await recall({ query: 'zebra deployment' });
    expect(part.text).toMatch(/^Nothing matches all of "zebra deployment"\. 3 messages/);
    const none = await recall({ query: 'zebra crossing' });
    expect(none).toEqual({
      text: 'Nothing in this conversation matches "zebra crossing".',
      matches: [],
    });
  });

  it('shows neighbours in the text alone', async () => {
    const { text, matches } = await recall({ query: 'E4012' });
    expect(matches.map(({ number, role }) => [number, role])).toEqual([[3, 'user']]);
    expect(text).toContain('[Turn 2] assistant:\n  Understood');
    expect(text).toContain('[Turn 3] user:\n  The deployment failed');
    expect(text).toContain('[Turn 4] assistant:\n  I will look at the pool.\n  -> read_file');
  });

  it('says how many hold all of it when others hold some', async () => {
    const { text } = await recall({ query: 'blue green deployment' });
    expect(text).toMatch(
      /^2 messages for "blue green deployment", and 1 more with some of it, the best first:/,
    );
  });

  it('looks neither into what is another’s nor at the turn that asks or those behind it', async () => {
    expect((await recall({ query: 'deployment' }, 'other')).matches).toEqual([]);
    expect(await numbers('walrus')).toEqual([12, 11]);
    for (const action of ['search', 'range'] as const) {
      const { text } = await recall({ action, query: 'walrus' }, 't', 'turn_asking');
      expect(text).not.toContain('[Turn 11]');
      expect(text).not.toContain('[Turn 12]');
    }
  });

  it.each([
    "'",
    "a' | b",
    '!!!',
    '( & |',
    ':*',
    '\\',
    '%',
    'the',
    "x'y:*&z",
    'a'.repeat(2_000),
    '🙂 é',
  ])('takes %s as words, never as a query language', async (query) => {
    expect((await recall({ query })).text).toEqual(expect.any(String));
  });

  it('needs something to search for', async () => {
    await expect(recall({ query: ' ' })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('range, tools, summary', () => {
  const range = async (request: Partial<RecallRequest>) =>
    (await recall({ action: 'range', ...request })).matches.map(({ number }) => number);

  it('gives a closed range whole, an open one up to the limit', async () => {
    expect(await range({ start_turn: 2, end_turn: 7, limit: 1 })).toEqual([2, 3, 4, 5, 6, 7]);
    expect(await range({ start_turn: 2, limit: 2 })).toEqual([2, 3]);
    expect(await range({ end_turn: 4, limit: 2 })).toEqual([3, 4]);
    expect(await range({ limit: 2 })).toEqual([11, 12]);
    expect(await range({ start_turn: 9e15, end_turn: 9e15 })).toEqual([]);
    await expect(range({ start_turn: 3, end_turn: 2 })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('lists calls with their arguments', async () => {
    const { text, matches } = await recall({ action: 'tool_calls', tool_name: 'read_file' });
    expect(matches.map(({ number }) => number)).toEqual([5]);
    expect(text).toContain('[Turn 5] tool:\n  (result of read_file)\n  {"path":"src/db/pool.ts"}');
    expect((await recall({ action: 'tool_calls', tool_name: 'nope' })).text).toBe(
      'There are no calls of nope in this conversation.',
    );
  });

  it('sums up', async () => {
    const { text } = await recall({ action: 'summary' });
    expect(text).toContain('12 messages (user 6, assistant 4, tool 2)');
    expect(text).toContain('Tools used: conversation_recall 1, read_file 1.');
  });
});
