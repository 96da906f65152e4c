import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { guardedRequest } from './guarded-request.ts';

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

async function serve(answer: RequestListener, host = '127.0.0.1', port = 0): Promise<number> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  opened.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return (server.address() as AddressInfo).port;
}

async function serveBytes(talk: (socket: Socket) => void): Promise<number> {
  const server = createTcpServer(talk);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(server);
  return (server.address() as AddressInfo).port;
}

const get = (url: string, options: Partial<Parameters<typeof guardedRequest>[0]> = {}) =>
  guardedRequest({
    url: new URL(url),
    method: 'GET',
    headers: {},
    timeout_ms: 5_000,
    max_bytes: 1_000,
    allow_private: true,
    ...options,
  });

test('an answer comes with status, headers and body', async () => {
  const port = await serve((request, response) => {
    response.writeHead(201, { 'x-seen': request.headers.host }).end('hello');
  });
  const answer = await get(`http://127.0.0.1:${port}/x`);
  expect(answer).toMatchObject({ outcome: 'answered', status: 201, complete: true });
  expect(answer).toMatchObject({ headers: { 'x-seen': `127.0.0.1:${port}` } });
  expect(answer.outcome === 'answered' && answer.body.toString()).toBe('hello');
});

test('no spelling of this machine reaches it, and nothing a name may lead to', async () => {
  let calls = 0;
  const canary: RequestListener = (_request, response) => {
    calls += 1;
    response.end();
  };
  const port = await serve(canary, '0.0.0.0');
  const hosts = ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', 'localhost'];
  hosts.push('0.0.0.0', '0', '[::ffff:127.0.0.1]', '[::1]', 'a.localhost', '127.0.0.1.');
  for (const host of hosts) {
    const answer = await get(`http://${host}:${port}/`, { allow_private: false });
    expect(answer, host).toMatchObject({ outcome: 'failed' });
  }
  const addresses = ['127.0.0.1', '0.0.0.0', '::1', '::ffff:127.0.0.1', '::', '127.0.0.2'];
  for (const address of addresses) {
    const resolve = async () => [{ address, family: address.includes(':') ? 6 : 4 }];
    const answer = await get(`http://inside.example:${port}/`, { allow_private: false, resolve });
    expect(answer, address).toEqual({
      outcome: 'failed',
      reason: 'inside.example leads to an address that is not on the public internet',
    });
  }
  expect(calls).toBe(0);
});

test('one address that may not be called refuses the name with all its addresses', async () => {
  let calls = 0;
  const port = await serve((_request, response) => {
    calls += 1;
    response.end();
  });
  const resolve = async () => [
    { address: '127.0.0.1', family: 4 },
    { address: '169.254.169.254', family: 4 },
  ];
  const answer = await get(`http://both.example:${port}/`, { resolve });
  expect(answer).toMatchObject({ outcome: 'failed' });
  expect(calls).toBe(0);
});

test('a name that changes its address is called where it was checked', async () => {
  const seen: string[] = [];
  const note =
    (name: string): RequestListener =>
    (_request, response) => {
      seen.push(name);
      response.end();
    };
  const port = await serve(note('checked'), '127.0.0.1');
  await serve(note('swapped'), '127.0.0.2', port);
  let asked = 0;
  const resolve = async () => {
    asked += 1;
    return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
  };
  const answer = await get(`http://rebinding.example:${port}/`, { resolve });
  expect(answer).toMatchObject({ outcome: 'answered', status: 200 });
  expect({ seen, asked }).toEqual({ seen: ['checked'], asked: 1 });
});

test('a redirect is an answer, not a way on', async () => {
  let followed = false;
  const port = await serve((request, response) => {
    followed ||= request.url === '/next';
    response.writeHead(302, { location: '/next' }).end();
  });
  expect(await get(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 302 });
  expect(followed).toBe(false);
});

test('a proxy of the environment is not used', async () => {
  let proxied = false;
  const proxy = await serve((_request, response) => {
    proxied = true;
    response.end();
  });
  const port = await serve((_request, response) => response.writeHead(204).end());
  for (const name of ['http_proxy', 'HTTP_PROXY', 'all_proxy']) {
    vi.stubEnv(name, `http://127.0.0.1:${proxy}`);
  }
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  const answer = await get(`http://127.0.0.1:${port}/`);
  vi.unstubAllEnvs();
  expect(answer).toMatchObject({ status: 204 });
  expect(proxied).toBe(false);
});

test('an endless body is cut at the cap, and its sender is disconnected', async () => {
  let sent = 0;
  let disconnected: Promise<unknown> = Promise.resolve();
  const port = await serve((_request, response) => {
    const chunk = Buffer.alloc(1_000, 'x');
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      if (!response.destroyed) response.once('drain', more);
    };
    disconnected = once(response, 'close');
    more();
  });
  const answer = await get(`http://127.0.0.1:${port}/`);
  expect(answer).toMatchObject({ outcome: 'answered', status: 200, complete: false });
  expect(answer.outcome === 'answered' && answer.body.length).toBe(1_000);
  await disconnected;
  expect(sent).toBeLessThan(20_000_000);
});

test('a body that stays packed is not unpacked', async () => {
  const port = await serve((request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(String(request.headers['accept-encoding']));
  });
  const answer = await get(`http://127.0.0.1:${port}/`);
  expect(answer.outcome === 'answered' && answer.body.toString()).toBe('identity');
});

test('a status stands even if the body stalls or breaks off', async () => {
  const stalls = await serveBytes((socket) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc');
  });
  const slow = await get(`http://127.0.0.1:${stalls}/`, { timeout_ms: 100 });
  expect(slow).toMatchObject({ outcome: 'answered', status: 200, complete: false });
  const breaks = await serveBytes((socket) => {
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 500 Oh\r\ncontent-length: 10\r\n\r\nabc');
  });
  const broken = await get(`http://127.0.0.1:${breaks}/`);
  expect(broken).toMatchObject({ outcome: 'answered', status: 500, complete: false });
});

test('silence, endless headers, noise, an upgrade and a closed port are failures with a reason', async () => {
  const talk = async (lines: (socket: Socket) => void) => {
    const port = await serveBytes((socket) => {
      socket.on('error', () => undefined);
      lines(socket);
    });
    const answer = await get(`http://127.0.0.1:${port}/`, { timeout_ms: 300 });
    return answer.outcome === 'failed' ? answer.reason : `status ${answer.status}`;
  };
  expect(await talk(() => undefined)).toBe('no answer within 0.3 seconds');
  const header = `x: ${'y'.repeat(1_000)}\r\n`;
  const endless = await talk((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    for (let line = 0; line < 100; line++) socket.write(header);
  });
  expect(endless).toMatch(/Header overflow/i);
  expect(await talk((socket) => socket.end('SSH-2.0-x\r\n'))).toMatch(/Parse Error/);
  const upgrade = 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n';
  expect(await talk((socket) => socket.write(upgrade))).toMatch(/hang up|closed/);
  expect(await talk((socket) => socket.destroy())).toMatch(/hang up|ECONNRESET/);
  const endlessHints = await talk((socket) => {
    const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
    for (let n = 0; n < 50; n++) socket.write(hint);
  });
  expect(endlessHints).toBe('no answer within 0.3 seconds');
  const closed = await serve(() => undefined);
  opened.pop()?.close();
  expect(await get(`http://127.0.0.1:${closed}/`)).toMatchObject({
    outcome: 'failed',
    reason: expect.stringContaining('ECONNREFUSED'),
  });
});

test('a resolver that fails, finds nothing or never answers ends the request', async () => {
  const fails = async () => Promise.reject(new Error('getaddrinfo ENOTFOUND gone.example'));
  expect(await get('http://gone.example/', { resolve: fails })).toEqual({
    outcome: 'failed',
    reason: 'getaddrinfo ENOTFOUND gone.example',
  });
  expect(await get('http://empty.example/', { resolve: async () => [] })).toEqual({
    outcome: 'failed',
    reason: 'empty.example has no address',
  });
  const hangs = () => new Promise<never>(() => undefined);
  expect(await get('http://slow.example/', { resolve: hangs, timeout_ms: 50 })).toEqual({
    outcome: 'failed',
    reason: 'no answer within 0.05 seconds',
  });
});

test('a request can be stopped', async () => {
  const stop = new AbortController();
  const port = await serve(() => stop.abort());
  const answer = await get(`http://127.0.0.1:${port}/`, { signal: stop.signal });
  expect(answer).toEqual({ outcome: 'failed', reason: 'stopped while it was under way' });
  const again = await get(`http://127.0.0.1:${port}/`, { signal: stop.signal });
  expect(again).toEqual({ outcome: 'failed', reason: 'stopped before it was sent' });
});
