import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import {
  type Message,
  messageSchema,
  problemSchema,
  sessionSchema,
  turnSchema,
} from '@loom/shared/api';
import { maxMessageBytes } from '@loom/shared/message-text';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-support/test-gateway.ts';
import { turnBodyBytes } from './turn-body-bytes.ts';

type Client = Awaited<ReturnType<TestGateway['client']>>;

let database: TestDatabase;
let gateway: TestGateway;
let user: Client;
let stranger: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database, { max_body_bytes: 1_000 });
  user = await gateway.client(['user']);
  stranger = await gateway.client(['admin'], 'other');
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

// A connection of its own for each request: while megabytes are looked at, one that is kept grows too old.
const close = { connection: 'close' };

const get = (path: string, key = user.key) =>
  fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${key}`, ...close } });
const read = async (path: string): Promise<unknown> => (await get(path)).json();
const openSession = async (title?: string) =>
  sessionSchema.parse(await user.post('/api/sessions', { title }, close));
const say = (session: string, content: string) => user.sendTurn(session, content, close);

async function exported(session: string): Promise<{ session: unknown; messages: Message[] }> {
  const text = await (await get(`/api/sessions/${session}/export`)).text();
  expect(text.endsWith('\n')).toBe(true);
  const [head, ...lines] = text.split('\n').slice(0, -1);
  const messages = lines.map((line) => messageSchema.strict().parse(JSON.parse(line)));
  return { ...JSON.parse(head ?? ''), messages };
}

// Compared by hash: a difference of megabytes is nothing to read.
const hash = (text: string | undefined) =>
  createHash('sha256')
    .update(text ?? '')
    .digest('hex');

const texts: [string, string][] = [
  ['64 KB', 'A line of text.\n'.repeat(4_096)],
  ['5 MiB', 'x'.repeat(maxMessageBytes)],
  ['5 MiB that JSON escapes', '"\\\n\t'.repeat(maxMessageBytes / 4)],
  ['5 MiB of astral characters', '😀'.repeat(maxMessageBytes / 4)],
  ['one more than any plane', '\u{10ffff}\u{1f469}\u200d\u{1f680}\u{e000}\ufffe\uffff'],
  ['combining marks, not composed', 'e\u0301 \u00e9 \u1112\u1161\u11ab \u{1d15e}'],
  ['right to left', '\u202eשלום مرحبا\u202c\u2066x\u2069'],
  ['line ends of all kinds', 'a\nb\r\nc\rd\u2028e\u2029f\u0085g\u000bh\u000c\n\n'],
  ['blanks at both ends', ' \t\n x \u00a0\ufeff'],
  ['control characters', Array.from({ length: 31 }, (_, n) => String.fromCharCode(n + 1)).join('')],
  ['a byte order mark first', '\ufeffx'],
  ['what others take for markup', "</script>{{x}}%s\\u0000'; DROP TABLE messages; --\\"],
];

describe('a message', () => {
  it.each(texts)('comes back byte for byte: %s', async (_, content) => {
    const { id } = await openSession();
    const { turn_id, message_number } = await say(id, content);
    const page = (await read(`/api/sessions/${id}/messages`)) as { items: Message[] };
    const turn = turnSchema.parse(await read(`/api/sessions/${id}/turns/${turn_id}`));
    const { messages } = await exported(id);
    const found = [page.items, turn.messages, messages].map(([only]) => hash(only?.content));
    expect(found).toEqual(Array(3).fill(hash(content)));

    const range = { action: 'range', start_turn: message_number, end_turn: message_number };
    const recalled = await user.post(`/api/sessions/${id}/recall`, range, close);
    const { text } = recalled as { text: string };
    expect(text.length).toBeLessThanOrEqual(32_000);
    expect(text.includes('cut')).toBe(content.length > 32_000);
  });

  const refused: [string, string, RegExp][] = [
    ['nothing', '""', /content: must not be empty/],
    ['too much', `"${'x'.repeat(maxMessageBytes + 1)}"`, /at most 5242880 bytes of UTF-8/],
    ['too many bytes', `"${'€'.repeat(maxMessageBytes / 2)}"`, /at most 5242880 bytes of UTF-8/],
    ['NUL', '"a\\u0000b"', /content must not contain NUL/],
    ['half a character', '"\\ud83d"', /unpaired surrogates/],
    ['halves in the wrong order', '"\\ude00\\ud83d"', /unpaired surrogates/],
    ['no text', '7', /content/],
  ];
  it.each(refused)('is refused with the reason, and not stored: %s', async (_, text, reason) => {
    const { id } = await openSession();
    const response = await fetch(`${gateway.url}/api/sessions/${id}/turns`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${user.key}`,
        'content-type': 'application/json',
        ...close,
      },
      body: `{"content":${text}}`,
    });
    const problem = problemSchema.parse(await response.json());
    expect(problem).toMatchObject({ status: 422, code: 'invalid_request' });
    expect(problem.detail).toMatch(reason);
    expect((await exported(id)).messages).toEqual([]);
  });
});

describe('the request that says something', () => {
  /** Announces a body of so many bytes and sends none of it. */
  const announce = (path: string, bytes: number) =>
    new Promise<unknown>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${user.key}`,
        'content-type': 'application/json',
        'content-length': bytes,
      };
      const asking = request(`${gateway.url}${path}`, { method: 'POST', headers }, (answer) => {
        json(answer).then(resolve, reject);
      });
      asking.on('error', reject);
      asking.flushHeaders();
    });

  it('may be far larger than others, but not without end', async () => {
    const { id } = await openSession();
    expect(await announce(`/api/sessions/${id}/turns`, turnBodyBytes + 1)).toMatchObject({
      status: 413,
      detail: expect.stringContaining('16777216 bytes'),
    });
    expect(await announce(`/api/sessions/${id}/recall`, 1_001)).toMatchObject({
      status: 413,
      detail: expect.stringContaining('1000 bytes'),
    });
  });
});

describe('a session', () => {
  it('is called by the first line of its first message, and says what it holds', async () => {
    const { id } = await openSession();
    await say(id, '  \n');
    await say(id, `\n  ${'long '.repeat(40)}\nand more`);
    await say(id, 'later');
    const session = sessionSchema.parse(await read(`/api/sessions/${id}`));
    expect(session).toMatchObject({ message_count: 3, total_tokens: 0 });
    expect(session.title).toBe(`${'long '.repeat(16).slice(0, 79)}…`);
    const named = await openSession('Mine');
    await say(named.id, 'hello');
    expect(await read(`/api/sessions/${named.id}`)).toMatchObject({ title: 'Mine' });
  });
});

describe('an export', () => {
  it('has the session first, then every message in order, as the pages show them', async () => {
    const { id } = await openSession('Rain');
    await Promise.all(Array.from({ length: 20 }, (_, n) => say(id, `message ${n}`)));
    const session = sessionSchema.parse(await read(`/api/sessions/${id}`));
    const page = (await read(`/api/sessions/${id}/messages`)) as { items: Message[] };
    expect(page.items).toHaveLength(20);
    expect(await exported(id)).toEqual({ session, messages: page.items });
  });

  it('is more than one page of an archive', async () => {
    const { id } = await openSession();
    await database.rows(
      `INSERT INTO messages (session_id, number, tenant_id, role, content)
        SELECT $1, n, 'default', 'user', n::text FROM generate_series(1, 1500) n`,
      [id],
    );
    await database.rows('UPDATE sessions SET last_message_number = 1500 WHERE id = $1', [id]);
    const { messages } = await exported(id);
    expect(messages.map(({ number }) => number)).toEqual(
      Array.from({ length: 1_500 }, (_, n) => n + 1),
    );
  });

  it.each([
    ['', 'application/x-ndjson; charset=utf-8', 'jsonl', '{"session":{'],
    ['?format=jsonl', 'application/x-ndjson; charset=utf-8', 'jsonl', '{"session":{'],
    ['?format=markdown', 'text/markdown; charset=utf-8', 'md', '# hello\n\n- Session: '],
  ])('is a file to save: %s', async (query, type, extension, beginning) => {
    const { id } = await openSession();
    await say(id, 'hello');
    const path = `/api/sessions/${id}/export${query}`;
    const response = await get(path);
    expect(response.headers.get('content-type')).toBe(type);
    const disposition = `attachment; filename="${id}.${extension}"`;
    expect(response.headers.get('content-disposition')).toBe(disposition);
    expect((await response.text()).startsWith(beginning)).toBe(true);
    expect((await get(path, stranger.key)).status).toBe(404);
  });

  it('is refused in another form', async () => {
    const { id } = await openSession();
    expect((await get(`/api/sessions/${id}/export?format=pdf`)).status).toBe(422);
  });
});
