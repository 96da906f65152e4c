import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

let echo: Server;
let proxy: TcpProxy;
const clients: Socket[] = [];

beforeEach(async () => {
  echo = createServer((socket) => {
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  proxy = await startTcpProxy({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});

async function open(): Promise<Socket> {
  const client = connect(proxy.port, proxy.host);
  client.on('error', () => {});
  clients.push(client);
  await once(client, 'connect');
  return client;
}

// `once` would reject at the reset that is wanted here.
function closing(client: Socket): Promise<void> {
  return new Promise((resolve) => client.once('close', () => resolve()));
}

async function say(client: Socket, words: string): Promise<string> {
  client.write(words);
  const [answer] = await once(client, 'data');
  return String(answer);
}

it('forwards both ways, later when told so', async () => {
  const client = await open();
  expect(await say(client, 'hello')).toBe('hello');
  proxy.setLatency(40);
  const before = performance.now();
  expect(await say(client, 'slow')).toBe('slow');
  expect(performance.now() - before).toBeGreaterThan(75);
});

it('resets a connection after the bytes asked for', async () => {
  proxy.cutNextAfter(5);
  const client = await open();
  let received = '';
  client.on('data', (data) => {
    received += data;
  });
  client.write('0123456789');
  await closing(client);
  expect(received).toBe('01234');
  expect(await say(await open(), '0123456789')).toBe('0123456789');
});

it('swallows data in a black hole and forgets it afterwards', async () => {
  const client = await open();
  let received = '';
  client.on('data', (data) => {
    received += data;
  });
  await say(client, 'before ');
  proxy.setBlackHole(true);
  client.write('lost ');
  // One process serves all sockets in turn: this round trip ends after the data above was read.
  const direct = connect((echo.address() as AddressInfo).port, '127.0.0.1');
  clients.push(direct);
  await say(direct, 'marker');
  await say(direct, 'marker');
  proxy.setBlackHole(false);
  await say(client, 'after');
  expect(received).toBe('before after');
});

it('cuts what is open and refuses what is new', async () => {
  const client = await open();
  await say(client, 'hello');
  const closed = closing(client);
  expect(proxy.cutAll()).toBe(1);
  await closed;
  proxy.setRefusing(true);
  const refused = connect(proxy.port, proxy.host);
  refused.on('error', () => {});
  clients.push(refused);
  await closing(refused);
  proxy.setRefusing(false);
  expect(await say(await open(), 'again')).toBe('again');
});
