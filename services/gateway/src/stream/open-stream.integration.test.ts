import { request } from 'node:http';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-support/test-gateway.ts';

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database);
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

/** Sends a request and hangs up before it can have been answered. */
function askAndLeave(path: string, key: string): Promise<void> {
  const outgoing = request(new URL(path, gateway.url), {
    agent: false,
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
  });
  outgoing.on('error', () => {});
  outgoing.end(() => outgoing.destroy());
  return new Promise((resolve) => outgoing.once('close', resolve));
}

async function streamsOpened(): Promise<{ opened: number; open: number }> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const numberOf = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  return {
    opened: numberOf(/_count\{.*route="\/api\/sessions\/:id\/events".*\} (\d+)/),
    open: numberOf(/^loom_sse_clients (\d+)$/m),
  };
}

it('keeps no stream for a reader that left before the answer began', async () => {
  const user = await gateway.client(['user']);
  const session = await user.createSession();
  const path = `/api/sessions/${session.id}/events`;
  const count = 20;
  await Promise.all(Array.from({ length: count }, () => askAndLeave(path, user.key)));
  await expect.poll(streamsOpened, { timeout: 10_000 }).toEqual({ opened: count, open: 0 });
});
