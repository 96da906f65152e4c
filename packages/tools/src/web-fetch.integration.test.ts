import type { RequestListener } from 'node:http';
import { AppError } from '@loom/shared/app-error';
import type { JsonValue } from '@loom/shared/json';
import { expect, test } from 'vitest';
import { pdfOf } from './documents/test-pdf.ts';
import { serve } from './net/test-support/serve.ts';
import { createToolRegistry } from './registry.ts';
import { contextIn } from './test-workspace.ts';
import { webFetchTool } from './web-fetch.ts';

const options = { allow_private: true, timeout_ms: 20_000, max_bytes: 1_000_000 };
const registry = createToolRegistry([webFetchTool(options)], { max_output_chars: 40_000 });

async function fetchFrom(
  answer: RequestListener,
  path = '/',
  more: Record<string, JsonValue> = {},
) {
  const context = contextIn(null);
  const origin = await serve(answer);
  const result = await registry.run('web_fetch', { url: `${origin}${path}`, ...more }, context);
  return { ...result, origin, artifacts: [...context.artifacts.values()] };
}

const sending =
  (body: string | Buffer, type = 'text/html; charset=utf-8'): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type }).end(body);
  };

const article = (count: number) => {
  const part = (n: number) =>
    `<h2>Chapter ${n}</h2><p>${`Words about number ${n} and little else. `.repeat(20)}</p>`;
  const parts = Array.from({ length: count }, (_, n) => part(n));
  return `<html><head><title>A Book</title></head><body><article><h1>A Book</h1>${parts.join('')}<p>The needle lies here.</p></article></body></html>`;
};

test('a page is shown as markdown, with its title and where it came from', async () => {
  const moved: RequestListener = (request, response) => {
    if (request.url === '/old') response.writeHead(301, { location: '/new' }).end();
    else sending(article(2))(request, response);
  };
  const { ok, text, origin, artifacts } = await fetchFrom(moved, '/old');
  expect(ok).toBe(true);
  expect(text).toMatch(
    new RegExp(`^Title: A Book\nURL: ${origin}/old\nAnswered by: ${origin}/new\n\n`),
  );
  expect(text).toContain('## Chapter 1\n\nWords about number 1');
  expect(text).not.toContain('<p>');
  expect(artifacts).toEqual([]);
});

test('of a long page the beginning and the outline are shown, and all of it is kept', async () => {
  const { text, artifacts, origin } = await fetchFrom(sending(article(60)));
  expect(text.length).toBeLessThan(18_000);
  expect(text).toContain('Words about number 0');
  expect(text).toContain('the whole text is artifact af_1');
  expect(text).toMatch(/Outline:\n(.*\n)*.*- Chapter 40 \(at \d+\)/);
  const [kept] = artifacts;
  expect(kept).toMatchObject({ kind: 'text', mime: 'text/markdown', source: `${origin}/` });
  expect(kept?.content.toString()).toContain('The needle lies here.');
});

test('with a query the parts that match are shown, wherever they are', async () => {
  const { text, artifacts } = await fetchFrom(sending(article(60)), '/', { query: 'needle' });
  expect(text).toMatch(/\[characters \d+-\d+ of \d+, under "Chapter 59"\]/);
  expect(text).toContain('The needle lies here.');
  expect(text.length).toBeLessThan(6_000);
  expect(artifacts).toHaveLength(1);
  const nothing = await fetchFrom(sending(article(60)), '/', { query: 'haystack' });
  expect(nothing.text).toContain('matches "haystack"');
  expect(nothing.text).toContain('Outline:');
});

test.each([
  ['text/plain; charset=iso-8859-1', Buffer.from('caf\xe9', 'latin1'), 'café'],
  [
    'text/html',
    Buffer.from('<meta charset="shift_jis"><p>\x83\x65\x83\x58\x83\x67</p>', 'latin1'),
    'テスト',
  ],
  ['text/plain', Buffer.from('\ufeffwide', 'utf16le'), 'wide'],
  ['application/json', Buffer.from('{"a": "ä"}'), '{"a": "ä"}'],
  ['application/xml', Buffer.from('<?xml version="1.0"?><a>b</a>'), '<a>b</a>'],
  ['', Buffer.from('# plain'), '# plain'],
])('text of type %j is shown as it is', async (type, body, shown) => {
  const { text, artifacts } = await fetchFrom(sending(body, type));
  expect(text).toContain(shown);
  expect(artifacts).toEqual([]);
});

test('a PDF is read, and kept', async () => {
  const body = pdfOf(['The first page', 'The second page']);
  const { text, artifacts } = await fetchFrom(sending(body, 'application/octet-stream'), '/paper');
  expect(text).toContain('The second page');
  expect(text).toContain('Kept as artifact af_1.');
  expect(artifacts).toMatchObject([{ name: 'paper', kind: 'pdf', mime: 'application/pdf' }]);
  expect(artifacts[0]?.content.equals(body)).toBe(true);
  const broken = await fetchFrom(sending(body.subarray(0, 200), 'application/pdf'), '/a.pdf');
  expect(broken).toMatchObject({ ok: true, text: expect.stringContaining('cannot be read') });
});

test('an image and other bytes become artifacts, with a line on what they are', async () => {
  const header = '89504e470d0a1a0a0000000d4948445200000020000000100806000000';
  const png = Buffer.concat([Buffer.from(header, 'hex'), Buffer.alloc(100)]);
  const image = await fetchFrom(sending(png, 'image/png'), '/logo.png');
  expect(image.text).toMatch(/logo.png is an image: PNG, 32 × 16 pixels/);
  expect(image.artifacts).toMatchObject([{ name: 'logo.png', kind: 'image', mime: 'image/png' }]);
  const bytes = await fetchFrom(sending(Buffer.from([1, 0, 2, 0]), 'text/html'), '/x');
  expect(bytes.text).toContain('First bytes: 01 00 02 00');
  expect(bytes.artifacts).toMatchObject([{ kind: 'unknown', mime: 'application/octet-stream' }]);
});

test('a page is shown even if nothing can be kept', async () => {
  const context = contextIn(null);
  const artifact = () => Promise.reject(new AppError('unavailable', 'no room'));
  const url = await serve(sending(article(60)));
  const keep = { ...context.keep, artifact };
  const result = await registry.run('web_fetch', { url }, { ...context, keep });
  expect(result).toMatchObject({ ok: true, text: expect.stringContaining('Words about number 0') });
  expect(result.text).not.toContain('af_');
});

test.each([
  [404, /^http:.* could not be read: it answered 404 Not Found, so check the address .*\.$/],
  [403, /403 Forbidden, so it wants a login/],
  [500, /500 Internal Server Error, which may pass/],
  [418, /418 I'm a Teapot, so use another address/],
])('the status %i is a failure in one sentence', async (status, sentence) => {
  const result = await fetchFrom((_request, response) => response.writeHead(status).end('<p>no'));
  expect(result).toMatchObject({ ok: false, error_code: 'failed' });
  expect(result.text).toMatch(sentence);
});

test('what cannot be reached, and what may not be called, is told in one sentence', async () => {
  const fetchUrl = (url: string, allow_private: boolean) =>
    createToolRegistry([webFetchTool({ ...options, allow_private })], {
      max_output_chars: 1_000,
    }).run('web_fetch', { url }, contextIn(null));
  expect(await fetchUrl('http://127.0.0.1:1/', true)).toMatchObject({
    error_code: 'failed',
    text: expect.stringMatching(/^http:\/\/127.0.0.1:1\/ could not be read: .*ECONNREFUSED/),
  });
  expect(await fetchUrl('10.0.0.1/x', false)).toMatchObject({
    error_code: 'invalid_arguments',
    text: expect.stringContaining('must not point to 10.0.0.1'),
  });
  expect(await fetchUrl('ftp://example.com/', false)).toMatchObject({
    error_code: 'invalid_arguments',
  });
});

test('an answer that was cut off is shown, and said to be', async () => {
  const { text } = await fetchFrom(sending('x'.repeat(1_500_000), 'text/plain'));
  expect(text).toContain('The answer was cut off');
  expect(text).toContain('of 1000000;');
});
