import type { LiveMessage } from '@loom/shared/events';
import type { StreamedEvent } from '@loom/testing/event-stream';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './test-support/test-gateway.ts';

let database: TestDatabase;
let gateway: TestGateway;
let twin: TestGateway;
let user: Awaited<ReturnType<TestGateway['client']>>;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database);
  twin = await startTestGateway(database);
  user = await gateway.client(['user']);
});
afterAll(async () => {
  await gateway.close();
  await twin.close();
  await database.drop();
});

const plan = { subtasks: [{ id: 'a', description: 'do a' }] };

/** Opens a stream and gives its events one by one. */
async function open(
  path: string,
  options: { cursor?: string; url?: string; init?: RequestInit } = {},
) {
  const response = await fetch(`${options.url ?? gateway.url}${path}`, {
    ...options.init,
    headers: {
      authorization: `Bearer ${user.key}`,
      accept: 'text/event-stream',
      ...(options.cursor === undefined ? {} : { 'last-event-id': options.cursor }),
      ...(options.init?.headers as Record<string, string>),
    },
  });
  expect(response.status).toBe(200);
  const reader = response.body
    ?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  if (reader === undefined) throw new Error('no body');
  const next = async (): Promise<StreamedEvent | null> => {
    const { done, value } = await reader.read();
    return done ? null : { ...JSON.parse(value.data), id: value.id ?? null, type: value.event };
  };
  return {
    next,
    async rest() {
      const events: StreamedEvent[] = [];
      for (let event = await next(); event !== null; event = await next()) events.push(event);
      return events;
    },
    close: () => reader.cancel(),
  };
}

const logOf = (taskId: string) =>
  database.rows<{ seq: number; type: string }>(
    'SELECT seq, type FROM events WHERE task_id = $1 ORDER BY seq',
    [taskId],
  );
const numbered = (events: StreamedEvent[]) => events.map(({ seq, type }) => ({ seq, type }));

it('follows a task from its first event to its last, on any gateway, and then ends', async () => {
  const task = await user.createTask({ goal: 'x', plan });
  const streams = [gateway.url, twin.url].map((url) =>
    open(`/api/tasks/${task.id}/events`, { url }),
  );
  const [here, there] = await Promise.all(streams);
  expect((await there?.next())?.type).toBe('task.queued');
  await user.request('POST', `/api/tasks/${task.id}/abort`);
  const events = (await here?.rest()) ?? [];
  expect(numbered(events)).toEqual(await logOf(task.id));
  expect(events.map(({ id }) => id)).toEqual(events.map(({ seq }) => String(seq)));
  expect(events.at(-1)?.type).toBe('task.cancelled');
  expect((await there?.rest())?.length).toBe(events.length - 1);
});

it('resumes after any cursor without a gap or a repeat', async () => {
  const task = await user.createTask({ goal: 'x', plan });
  await user.request('POST', `/api/tasks/${task.id}/abort`);
  const log = await logOf(task.id);
  for (let seen = 0; seen <= log.length; seen++) {
    const stream = await open(`/api/tasks/${task.id}/events`, { cursor: String(seen) });
    expect(numbered(await stream.rest())).toEqual(log.slice(seen));
  }
  const byQuery = await open(`/api/tasks/${task.id}/events?after=2`);
  expect(numbered(await byQuery.rest())).toEqual(log.slice(2));
});

it.each(['999', '-1', 'garbage', '%00', '1.0', 'task_1:2'])(
  'answers the unusable cursor %s by a reset with a snapshot, and goes on from there',
  async (cursor) => {
    const task = await user.createTask({ goal: 'x', plan });
    const log = await logOf(task.id);
    const stream = await open(`/api/tasks/${task.id}/events`, { cursor });
    expect(await stream.next()).toMatchObject({
      id: String(log.length),
      type: 'stream.reset',
      task_id: task.id,
      data: { last_seq: log.length, snapshot: { id: task.id, subtasks: [{ id: 'a' }] } },
    });
    await user.request('POST', `/api/tasks/${task.id}/abort`);
    expect(numbered(await stream.rest())).toEqual((await logOf(task.id)).slice(log.length));
  },
);

it('takes an empty Last-Event-ID for none, and then a cursor in the address', async () => {
  const task = await user.createTask({ goal: 'x', plan });
  await user.request('POST', `/api/tasks/${task.id}/abort`);
  const log = await logOf(task.id);
  const whole = await open(`/api/tasks/${task.id}/events`, { cursor: '' });
  expect(numbered(await whole.rest())).toEqual(log);
  const rest = await open(`/api/tasks/${task.id}/events?after=2`, { cursor: '' });
  expect(numbered(await rest.rest())).toEqual(log.slice(2));
});

it('says first where a reader is, so that one cut before any event loses nothing', async () => {
  const session = await user.createSession();
  await user.sendTurn(session.id, 'before');
  const firstBytes = async (cursor: string) => {
    const response = await fetch(`${gateway.url}/api/sessions/${session.id}/events`, {
      headers: { authorization: `Bearer ${user.key}`, 'last-event-id': cursor },
    });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    await reader?.cancel();
    return Buffer.from(value ?? []).toString();
  };
  const [place] = /^id: \d+$/m.exec(await firstBytes('')) ?? [];
  const { turn_id } = await user.sendTurn(session.id, 'while nobody listened');
  const stream = await open(`/api/sessions/${session.id}/events`, {
    cursor: place?.slice('id: '.length) ?? '',
  });
  expect(await stream.next()).toMatchObject({ type: 'turn.queued', turn_id });
  await stream.close();
  // Who has not got the reset must not come back as if it had.
  expect((await firstBytes('garbage')).split('\n\n')[0]).toBe('retry: 1000');
});

it('gives a log in pages to those who ask for JSON', async () => {
  const task = await user.createTask({ goal: 'x', plan });
  const log = await logOf(task.id);
  const page = async (query: string) => {
    const path = `/api/tasks/${task.id}/events?${query}`;
    return (await user.request('GET', path, undefined, { accept: 'application/json' })).body;
  };
  expect(await page('limit=2')).toMatchObject({ items: log.slice(0, 2), next_cursor: '2' });
  expect(await page('after=2')).toMatchObject({ items: log.slice(2), next_cursor: null });
  expect(await page('after=999')).toMatchObject({ status: 422, code: 'invalid_request' });
  expect(await page('after=x')).toMatchObject({ status: 422, code: 'invalid_request' });
});

it('starts a session’s stream at now, and shows text as it is written', async () => {
  const session = await user.createSession();
  await user.sendTurn(session.id, 'before');
  const wanted = new Promise<string>((resolve) => {
    const stop = gateway.bus.subscribe((wake) => {
      if (wake.kind !== 'snapshot_wanted') return;
      stop();
      resolve(wake.session_id);
    });
  });
  const stream = await open(`/api/sessions/${session.id}/events`);
  expect(await wanted).toBe(session.id);
  const live = (kind: LiveMessage['kind'], offset: number, text: string) =>
    twin.bus.publish({
      kind: 'live',
      message: { kind, session_id: session.id, turn_id: 'turn_x', call: 1, offset, text },
    });
  live('delta', 2, 'l');
  live('snapshot', 0, 'Hel');
  live('delta', 3, 'lo');
  live('delta', 4, 'o!');
  // The bus may join pieces that follow each other; the reader gets the same text either way.
  let text = '';
  while (text !== 'Hello!') {
    const event = await stream.next();
    expect(event).toMatchObject({
      id: null,
      type: text === '' ? 'message.snapshot' : 'message.delta',
      turn_id: 'turn_x',
      data: { call: 1, offset: text.length },
    });
    text += String(event?.data.text);
    expect('Hello!'.startsWith(text)).toBe(true);
  }
  await user.sendTurn(session.id, 'after');
  const queued = await stream.next();
  expect(queued?.type).toBe('turn.queued');
  expect(await stream.next()).toMatchObject({
    type: 'message.appended',
    data: { role: 'user', content: 'after' },
  });
  await stream.close();
});

it('answers a turn with the turn’s own stream', async () => {
  const session = await user.createSession();
  await user.sendTurn(session.id, 'first');
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'turn-stream' },
    body: JSON.stringify({ content: 'second' }),
  };
  const stream = await open(`/api/sessions/${session.id}/turns`, { init });
  const queued = await stream.next();
  expect(queued?.type).toBe('turn.queued');
  const turnId = queued?.turn_id ?? '';
  expect(await stream.next()).toMatchObject({ data: { content: 'second' } });
  await user.sendTurn(session.id, 'third');
  await user.request('POST', `/api/sessions/${session.id}/turns/${turnId}/cancel`);
  const rest = await stream.rest();
  expect(rest.at(-1)?.type).toBe('turn.cancelled');
  expect(new Set(rest.map(({ turn_id }) => turn_id))).toEqual(new Set([turnId]));
  const again = await open(`/api/sessions/${session.id}/turns`, { init });
  expect((await again.rest()).map(({ seq }) => seq)).toEqual([
    queued?.seq,
    (queued?.seq ?? 0) + 1,
    ...rest.map(({ seq }) => seq),
  ]);
});

it('ends its streams when it stops', async () => {
  const third = await startTestGateway(database);
  const session = await user.createSession();
  const stream = await open(`/api/sessions/${session.id}/events`, { url: third.url });
  const ended = stream.rest();
  await third.close();
  expect(await ended).toEqual([]);
});
