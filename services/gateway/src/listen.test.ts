import { once } from 'node:events';
import { connect } from 'node:net';
import { OpenAPIHono } from '@hono/zod-openapi';
import { expect, it } from 'vitest';
import type { GatewayEnv } from './gateway-deps.ts';
import { listen } from './listen.ts';

it('stops at once though a connection is open that never asked for anything', async () => {
  const app = new OpenAPIHono<GatewayEnv>();
  app.get('/', (c) => c.text('here'));
  const server = await listen(app, { host: '127.0.0.1', port: 0 }, () => {});
  const silent = connect(server.port, '127.0.0.1');
  await once(silent, 'connect');
  expect(await (await fetch(`http://127.0.0.1:${server.port}/`)).text()).toBe('here');
  const begin = Date.now();
  await server.close();
  // Later, whatever is still open is cut anyway.
  expect(Date.now() - begin).toBeLessThan(2_000);
  silent.destroy();
});

it('keeps a connection for longer than those who reuse it', async () => {
  const app = new OpenAPIHono<GatewayEnv>();
  app.get('/', (c) => c.text('here'));
  const server = await listen(app, { host: '127.0.0.1', port: 0 }, () => {});
  const answer = await fetch(`http://127.0.0.1:${server.port}/`);
  expect(answer.headers.get('keep-alive')).toBe('timeout=75');
  await answer.text();
  await server.close();
});
