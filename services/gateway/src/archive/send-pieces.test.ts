import { setImmediate as nextRound } from 'node:timers/promises';
import { OpenAPIHono } from '@hono/zod-openapi';
import { createLogger } from '@loom/shared/logger';
import { afterEach, expect, test } from 'vitest';
import type { GatewayEnv } from '../gateway-deps.ts';
import { type Listening, listen } from '../listen.ts';
import { sendPieces } from './send-pieces.ts';

const logger = createLogger({ level: 'silent', name: 'send-pieces-test' });
const headers = { 'content-type': 'text/plain' };

let server: Listening | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function get(pieces: () => AsyncGenerator<string, void>, method = 'GET') {
  const app = new OpenAPIHono<GatewayEnv>();
  app.get('/', (c) => sendPieces(c, pieces(), { headers, logger }));
  server = await listen(app, { host: '127.0.0.1', port: 0 }, () => {});
  return fetch(`http://127.0.0.1:${server.port}/`, { method });
}

test('sends every piece in order', async () => {
  const response = await get(async function* () {
    for (let n = 0; n < 1_000; n++) yield `${n}\n`;
  });
  const numbers = Array.from({ length: 1_000 }, (_, n) => `${n}\n`);
  expect(await response.text()).toBe(numbers.join(''));
});

test('makes no more than the reader takes, and stops when it leaves', async () => {
  let made = 0;
  let stopped = () => {};
  const hasStopped = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const piece = 'x'.repeat(1_000_000);
  const response = await get(async function* () {
    try {
      for (; made < 5_000; made++) yield piece;
    } finally {
      stopped();
    }
  });
  const reader = response.body?.getReader();
  await reader?.read();
  // Sockets on both sides take some; then nothing more is made however long nobody reads.
  for (let seen = -1; seen !== made; await nextRound()) {
    seen = made;
    for (let round = 0; round < 200; round++) await nextRound();
  }
  expect(made).toBeLessThan(100);
  await reader?.cancel();
  await hasStopped;
  expect(made).toBeLessThan(100);
});

test('cuts what cannot be sent to its end', async () => {
  const answer = get(async function* () {
    yield 'half of it';
    throw new Error('the database went away');
  });
  await expect(answer.then((response) => response.text())).rejects.toThrow(TypeError);
});

test('makes nothing for a question about the head', async () => {
  let made = 0;
  const count = async function* () {
    made += 1;
    yield 'x';
  };
  const response = await get(count, 'HEAD');
  expect(response.headers.get('content-type')).toBe('text/plain');
  expect(made).toBe(0);
});
