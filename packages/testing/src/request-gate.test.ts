import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { startRequestGate } from './request-gate.ts';

it('passes requests on, and those that it gathers only together', async () => {
  const arrived: string[] = [];
  const server = createServer(async (incoming, response) => {
    arrived.push(`${incoming.method} ${incoming.url}`);
    let body = '';
    for await (const part of incoming) body += part;
    response.writeHead(201, { 'x-seen': incoming.headers['x-sent'] }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const gate = await startRequestGate(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const send = (path: string) =>
    fetch(gate.url + path, { method: 'PUT', headers: { 'x-sent': 'a' }, body: 'text' });

  const passed = await send('/free?x=1');
  expect(passed.status).toBe(201);
  expect(passed.headers.get('x-seen')).toBe('a');
  expect(await passed.text()).toBe('text');

  gate.gather(/retry$/, 2);
  const first = send('/one/retry');
  await send('/free');
  expect(arrived).not.toContain('PUT /one/retry');
  const second = send('/two/retry');
  expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([201, 201]);
  expect(await (await send('/three/retry')).text()).toBe('text');

  await gate.close();
  server.close();
  server.closeAllConnections();
});
