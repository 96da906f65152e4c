import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createClient } from './api-client.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
});

/** A gateway with ten events that breaks each connection in the middle of an event. */
async function flakyGateway(log: { cursors: string[] }, perConnection: number): Promise<string> {
  const server = createServer((request, response) => {
    const cursor = String(request.headers['last-event-id'] ?? '');
    log.cursors.push(cursor);
    if (cursor === 'forbidden') {
      response.writeHead(403).end('not yours');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const first = Number(cursor) + 1;
    const last = Math.min(10, first + perConnection - 1);
    response.write('event: message.delta\ndata: {"type": "message.delta", "data": {}}\n\n');
    for (let seq = first; seq <= last; seq++) {
      const data = JSON.stringify({ seq, type: 'task.running', data: { text: 'ü🎉' } });
      response.write(`id: ${seq}\nevent: task.running\ndata: ${data}\n\n`);
    }
    response.write(`id: ${last + 1}\nevent: task.running\ndata: {"se`, () => response.destroy());
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('resumes on the next gateway after the last whole event, without gap or repeat', async () => {
  const log = { cursors: [] as string[] };
  const client = createClient({
    url: [await flakyGateway(log, 3), 'http://127.0.0.1:1', await flakyGateway(log, 4)],
    key: 'k',
  });
  const transcript = client.follow('task', 'task_1');
  await transcript.reached(10);
  await transcript.stop();
  expect(transcript.events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(transcript.events[9]?.data).toEqual({ text: 'ü🎉' });
  expect(log.cursors.slice(0, 3)).toEqual(['0', '3', '7']);
  expect(transcript.live.length).toBeGreaterThanOrEqual(3);
});

it('passes the bytes of each connection through what a test puts there', async () => {
  const log = { cursors: [] as string[] };
  const client = createClient({ url: await flakyGateway(log, 10), key: 'k' });
  let connections = 0;
  const through = () => {
    connections += 1;
    if (connections > 1) return null;
    return new TransformStream<Uint8Array, Uint8Array>({
      transform: (_chunk, controller) => controller.terminate(),
    });
  };
  const transcript = client.follow('task', 'task_1', { through });
  await transcript.when(() => transcript.events.length === 10);
  await transcript.stop();
  expect(log.cursors.slice(0, 2)).toEqual(['0', '0']);
});

it('says how far a transcript came when the rest does not come', async () => {
  const client = createClient({ url: await flakyGateway({ cursors: [] }, 10), key: 'k' });
  const transcript = client.follow('task', 'task_1');
  await transcript.reached(10);
  await expect(transcript.reached(11, 50)).rejects.toThrow('task_1, event 10 of 11');
  await transcript.stop();
});

it('throws when the gateway refuses', async () => {
  const client = createClient({ url: await flakyGateway({ cursors: [] }, 3), key: 'k' });
  const next = client.streamEvents('/api/tasks/task_1/events', { after: 'forbidden' }).next();
  await expect(next).rejects.toThrow('answered 403: not yours');
});
