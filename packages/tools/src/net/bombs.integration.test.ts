import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fetchPage } from './fetch-page.ts';
import { inflateBounded } from './inflate-bounded.ts';
import { serve, serveBytes } from './test-support/serve.ts';

const signal = new AbortController().signal;
const cap = 1_000_000;
const bounds = { max_bytes: cap, signal };
const fetchFrom = (address: string, timeout_ms = 20_000) =>
  fetchPage(new URL(address), { allow_private: true, timeout_ms, ...bounds });
const servePacked = (body: Buffer, encoding: string) =>
  serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(body),
  );

// Members of a gzip file follow each other: 5 GB in 5 MB.
const member = gzipSync(Buffer.alloc(10_000_000));
const gzipBomb = Buffer.concat(Array<Buffer>(500).fill(member));
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const brotliBomb = brotliCompressSync(Buffer.alloc(300_000_000), quick);

test.each([
  ['gzip', gzipBomb.subarray(0, cap)],
  ['gzip, gzip', gzipSync(gzipBomb)],
  ['gzip, br', brotliCompressSync(gzipBomb, quick)],
  ['br', brotliBomb],
  ['deflate', deflateSync(Buffer.alloc(50_000_000))],
])('a bomb packed as %s is stopped at the cap', async (encoding, body) => {
  expect(body.length).toBeLessThanOrEqual(cap);
  const page = await fetchFrom(await servePacked(body, encoding));
  expect(page).toMatchObject({ outcome: 'fetched', complete: false });
  expect(page.outcome === 'fetched' && page.body.length).toBe(cap);
});

test('what would unpack to gigabytes is not unpacked', async () => {
  const inflated = await inflateBounded(gzipBomb, 'gzip', { max_bytes: 4_000_000, signal });
  expect(inflated).toMatchObject({ complete: false });
  expect(inflated?.body.length).toBe(4_000_000);
});

test.each([
  ['gzip', gzipSync('hello')],
  ['x-gzip', Buffer.concat([gzipSync('hel'), gzipSync('lo')])],
  ['GZIP', gzipSync('hello')],
  ['br', brotliCompressSync('hello')],
  ['deflate', deflateSync('hello')],
  ['deflate', deflateRawSync('hello')],
  ['gzip, br', brotliCompressSync(gzipSync('hello'))],
  ['identity', Buffer.from('hello')],
])('%s is unpacked', async (encoding, body) => {
  const page = await fetchFrom(await servePacked(body, encoding));
  expect(page).toMatchObject({ outcome: 'fetched', complete: true });
  expect(page.outcome === 'fetched' && page.body.toString()).toBe('hello');
});

test('what is packed too often, strangely or wrongly is refused or shown as broken', async () => {
  for (const encoding of ['gzip, gzip, gzip', 'compress', 'zstd']) {
    const page = await fetchFrom(await servePacked(gzipSync('hello'), encoding));
    expect(page).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(/packed/) });
  }
  const noise = await fetchFrom(await servePacked(Buffer.from('no gzip at all'), 'gzip'));
  expect(noise).toMatchObject({ outcome: 'fetched', complete: false });
  const whole = gzipSync(Buffer.from('hello '.repeat(10_000)));
  const cut = await inflateBounded(whole.subarray(0, whole.length - 20), 'gzip', bounds);
  expect(cut?.body.toString()).toMatch(/^hello hello/);
});

test('unpacking can be stopped', async () => {
  const stop = new AbortController();
  const unpacking = inflateBounded(gzipBomb, 'gzip', { max_bytes: 2 ** 31, signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(unpacking).rejects.toThrow('enough');
});

test('an endless body, endless headers, endless redirects and a slow body end at their bounds', async () => {
  const endless = await serve((_request, response) => {
    const chunk = Buffer.alloc(100_000, 'x');
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  });
  const long = await fetchFrom(endless);
  expect(long).toMatchObject({ outcome: 'fetched', complete: false });
  expect(long.outcome === 'fetched' && long.body.length).toBe(cap);

  const headers = await serveBytes((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const more = (): void => {
      while (!socket.destroyed && socket.write(`x: ${'y'.repeat(1_000)}\r\n`));
    };
    socket.on('drain', more);
    more();
  });
  expect(await fetchFrom(headers)).toMatchObject({
    outcome: 'failed',
    reason: expect.stringMatching(/header overflow/i),
  });

  let hops = 0;
  const circle = await serve((_request, response) => {
    hops += 1;
    response.writeHead(302, { location: `/${hops}` }).end();
  });
  expect(await fetchFrom(circle)).toMatchObject({ reason: 'it redirects too often' });
  expect(hops).toBe(6);

  const slow = await serveBytes((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const drip = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(drip));
  });
  const dripped = await fetchFrom(slow, 500);
  expect(dripped).toMatchObject({ outcome: 'fetched', complete: false });
  expect(dripped.outcome === 'fetched' && dripped.body.length).toBeLessThan(1_000);
});
