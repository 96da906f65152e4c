import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { guardedFetch } from './guarded-fetch.ts';
import { serve, serveBytes } from './test-support/serve.ts';

const fetchFrom = guardedFetch({ allow_private: true, timeout_ms: 20_000, max_bytes: 10_000 });

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url, headers } = request;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ method, url, headers, body: await text(request) }));
}

test('a request goes out, and its answer comes back, as with fetch', async () => {
  const origin = await serve((request, response) => {
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    void echo(request, response);
  });
  const response = await fetchFrom(`${origin}/x?y=1`, {
    method: 'POST',
    headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
    body: '{"a":"ä"}',
  });
  expect(response).toMatchObject({ ok: true, status: 200, url: `${origin}/x?y=1` });
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await response.json()).toMatchObject({
    method: 'POST',
    url: '/x?y=1',
    headers: { authorization: 'Bearer t', 'content-length': '10', 'accept-encoding': 'identity' },
    body: '{"a":"ä"}',
  });
  const empty = await serve((_request, answer) => answer.writeHead(204).end());
  expect(await fetchFrom(empty, { method: 'DELETE' })).toMatchObject({ status: 204, body: null });
});

test('an event stream is read as it comes, longer than the time limit, until it is cancelled', async () => {
  let events: ServerResponse | undefined;
  const origin = await serve((_request, response) => {
    events = response;
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write('data: 1\n\n');
  });
  const quick = guardedFetch({ allow_private: true, timeout_ms: 300, max_bytes: 10_000 });
  const { body } = await quick(origin);
  const reader = body?.getReader();
  const next = async () => Buffer.from((await reader?.read())?.value ?? '').toString();
  expect(await next()).toBe('data: 1\n\n');
  // The limit has surely passed once a timer of twice its length has run.
  await new Promise((resolve) => setTimeout(resolve, 600));
  events?.write('data: 2\n\n');
  expect(await next()).toBe('data: 2\n\n');
  const disconnected = events && once(events, 'close');
  await reader?.cancel();
  await disconnected;
});

test('an answer that is too long, too slow, broken off or stopped fails while it is read', async () => {
  const endless = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const more = () => {
      while (!response.destroyed && response.write('data: x\n\n'.repeat(100)));
    };
    response.on('drain', more);
    more();
  });
  await expect((await fetchFrom(endless)).text()).rejects.toThrow('longer than 10000 bytes');

  const stalls = await serveBytes((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc');
  });
  const quick = guardedFetch({ allow_private: true, timeout_ms: 200, max_bytes: 10_000 });
  await expect((await quick(stalls)).text()).rejects.toThrow('no answer within 0.2 seconds');

  const breaks = await serveBytes((socket) => {
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc');
  });
  await expect((await fetchFrom(breaks)).text()).rejects.toThrow();

  const stop = new AbortController();
  const response = await fetchFrom(stalls, { signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(response.text()).rejects.toThrow('enough');
  await expect(fetchFrom(stalls, { signal: stop.signal })).rejects.toThrow('enough');
});

test('silence and a stop end a request that has no answer yet', async () => {
  const stop = new AbortController();
  const silent = await serveBytes((socket) => socket.once('data', () => stop.abort()));
  const aborted = fetchFrom(silent, { signal: stop.signal });
  await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
  const quick = guardedFetch({ allow_private: true, timeout_ms: 100, max_bytes: 10_000 });
  await expect(quick(silent)).rejects.toThrow('no answer within 0.1 seconds');
});

test('a redirect is followed, left or refused, as the request says', async () => {
  const origin = await serve((request, response) => {
    if (request.url === '/end') void echo(request, response);
    else response.writeHead(Number(request.url?.slice(1)), { location: '/end' }).end();
  });
  const post = (status: number, redirect?: RequestRedirect) =>
    fetchFrom(`${origin}/${status}`, {
      method: 'POST',
      body: 'b',
      headers: { 'x-key': 'secret' },
      ...(redirect && { redirect }),
    });
  const kept = await (await post(307)).json();
  expect(kept).toMatchObject({ method: 'POST', body: 'b', headers: { 'x-key': 'secret' } });
  expect(await (await post(302)).json()).toMatchObject({ method: 'GET', body: '' });
  expect(await post(307, 'manual')).toMatchObject({ status: 307 });
  await expect(post(307, 'error')).rejects.toThrow('redirects');
});

test('redirects end after five, and do not carry secrets to another origin', async () => {
  let hops = 0;
  const circle = await serve((_request, response) => {
    hops += 1;
    response.writeHead(302, { location: '/again' }).end();
  });
  await expect(fetchFrom(circle)).rejects.toThrow('redirects too often');
  expect(hops).toBe(6);

  const other = await serve((request, response) => void echo(request, response));
  const first = await serve((_request, response) => {
    response.writeHead(307, { location: other }).end();
  });
  const headers = { authorization: 'Bearer t', 'x-key': 'secret', accept: 'text/plain' };
  const seen = (await (await fetchFrom(first, { headers })).json()) as { headers: object };
  expect(seen.headers).toMatchObject({ accept: 'text/plain' });
  expect(seen.headers).not.toHaveProperty('authorization');
  expect(seen.headers).not.toHaveProperty('x-key');
});

test('an address that may not be called is refused before and after a redirect', async () => {
  const guarded = guardedFetch({
    allow_private: false,
    timeout_ms: 5_000,
    max_bytes: 10_000,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  await expect(guarded('http://10.0.0.1/')).rejects.toMatchObject({ code: 'forbidden' });
  await expect(guarded('http://inside.example/')).rejects.toThrow('not on the public internet');
  await expect(guarded('http://user:pass@example.com/')).rejects.toThrow();
  const leads = await serve((_request, response) => {
    response.writeHead(307, { location: 'http://169.254.169.254/' }).end();
  });
  await expect(fetchFrom(leads)).rejects.toMatchObject({ code: 'forbidden' });
});
