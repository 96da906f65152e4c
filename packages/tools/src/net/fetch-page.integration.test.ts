import { expect, test } from 'vitest';
import { fetchPage } from './fetch-page.ts';
import { serve, serveBytes } from './test-support/serve.ts';

const bounds = { allow_private: true, timeout_ms: 20_000, max_bytes: 10_000 };
const signal = new AbortController().signal;
const fetchFrom = (address: string, options: Partial<Parameters<typeof fetchPage>[1]> = {}) =>
  fetchPage(new URL(address), { ...bounds, signal, ...options });

test('redirects are followed to the end, without cookies or anything else that was said', async () => {
  const seen: object[] = [];
  const origin = await serve((request, response) => {
    seen.push(request.headers);
    const hop = Number(request.url?.slice(1));
    if (hop === 5) response.writeHead(200, { 'content-type': 'text/plain' }).end('there');
    else response.writeHead(302, { location: `/${hop + 1}`, 'set-cookie': 'a=1' }).end();
  });
  const page = await fetchFrom(`${origin}/0#part`);
  expect(page).toMatchObject({
    outcome: 'fetched',
    status: 200,
    mime: 'text/plain',
    complete: true,
  });
  expect(page.url.href).toBe(`${origin}/5#part`);
  expect(seen).toHaveLength(6);
  for (const headers of seen) {
    expect(headers).not.toHaveProperty('cookie');
    expect(headers).not.toHaveProperty('referer');
    expect(headers).not.toHaveProperty('authorization');
  }
});

test.each([429, 502, 503, 504])('a passing %i is asked again, twice', async (status) => {
  let calls = 0;
  const origin = await serve((_request, response) => {
    calls += 1;
    response.writeHead(calls < 3 ? status : 200).end('done');
  });
  expect(await fetchFrom(origin)).toMatchObject({ outcome: 'fetched', status: 200 });
  expect(calls).toBe(3);
});

test('retries end, and what will not pass is not retried', async () => {
  let calls = 0;
  const answering = (status: number, headers = {}) =>
    serve((_request, response) => {
      calls += 1;
      response.writeHead(status, headers).end();
    });
  expect(await fetchFrom(await answering(503))).toMatchObject({ outcome: 'fetched', status: 503 });
  expect(calls).toBe(3);
  calls = 0;
  expect(await fetchFrom(await answering(500))).toMatchObject({ status: 500 });
  expect(await fetchFrom(await answering(404))).toMatchObject({ status: 404 });
  expect(await fetchFrom(await answering(429, { 'retry-after': '3600' }))).toMatchObject({
    status: 429,
  });
  expect(calls).toBe(3);
});

test('a lost connection is tried again', async () => {
  let calls = 0;
  const origin = await serveBytes((socket) => {
    calls += 1;
    if (calls < 3) socket.destroy();
    else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
  });
  expect(await fetchFrom(origin)).toMatchObject({ outcome: 'fetched', status: 200 });
});

test('a stop ends a request, and the pause before the next one', async () => {
  const stop = new AbortController();
  const silent = await serve(() => stop.abort(new Error('enough')));
  await expect(fetchFrom(silent, { signal: stop.signal })).rejects.toThrow('enough');

  const later = new AbortController();
  let calls = 0;
  const busy = await serve((_request, response) => {
    calls += 1;
    response.on('close', () => later.abort());
    response.writeHead(503, { 'retry-after': '4' }).end();
  });
  await expect(fetchFrom(busy, { signal: later.signal })).rejects.toThrow(/abort/i);
  expect(calls).toBe(1);
});

test('redirects and retries share one time', async () => {
  const origin = await serveBytes((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 302 Found\r\nlocation: /x\r\n\r\n'));
  });
  expect(await fetchFrom(origin, { timeout_ms: 300 })).toMatchObject({ outcome: 'failed' });
});
