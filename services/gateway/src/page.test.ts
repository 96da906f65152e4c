import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { GatewayEnv } from './gateway-deps.ts';
import { plainPage, servePage } from './page.ts';

let root: string;
let app: Hono<GatewayEnv>;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'loom-page-'));
  await mkdir(join(root, 'web/assets'), { recursive: true });
  await writeFile(join(root, 'web/index.html'), '<p>page</p>');
  await writeFile(join(root, 'web/assets/app-1a2b.js'), '1');
  await writeFile(join(root, 'secret'), 'secret');
  app = new Hono<GatewayEnv>();
  app.use(servePage(join(root, 'web')));
});
afterAll(() => rm(root, { recursive: true }));

it('serves the entry anew each time and hashed assets for ever', async () => {
  const entry = await app.request('/');
  expect(await entry.text()).toBe('<p>page</p>');
  expect(entry.headers.get('cache-control')).toBe('no-cache');
  expect(entry.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  const asset = await app.request('/assets/app-1a2b.js');
  expect(asset.headers.get('content-type')).toContain('javascript');
  expect(asset.headers.get('cache-control')).toContain('immutable');
});

it.each(['/../secret', '/%2e%2e/secret', '/..%2fsecret', '/assets/..%5c..%5csecret', '/none'])(
  'serves nothing at %s',
  async (path) => {
    expect((await app.request(path)).status).toBe(404);
  },
);

it('shows text as text', () => {
  expect(plainPage('<b>', ['a & "b"'])).toContain('<h1>&lt;b></h1>\n<p>a &amp; &quot;b&quot;</p>');
});
