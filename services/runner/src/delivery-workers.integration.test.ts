import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openDatabase } from '@loom/db/database';
import { insertDeliveries } from '@loom/db/deliveries/insert-deliveries';
import { inTransaction } from '@loom/db/transaction';
import { openQueueBackend } from '@loom/queue/queue-backend';
import { createRuntime, type Runtime } from '@loom/runtime/create-runtime';
import { startWorker } from '@loom/runtime/start-worker';
import { configSchema } from '@loom/shared/config';
import { newId } from '@loom/shared/ids';
import { createLogger } from '@loom/shared/logger';
import { testBackend } from '@loom/testing/backend';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { handleDelivery } from './handle-delivery.ts';

const config = configSchema.parse({
  execution: { lease_seconds: 15, sweep_interval_seconds: 0.1, ring_again_seconds: 1 },
  webhooks: { base_delay_seconds: 0.2, allow_private_networks: true },
});
const logger = createLogger({ level: 'silent', name: 'test' });

let world: TestDatabase;
let server: Server;
let base: string;
let workers: { runtime: Runtime; stop(): Promise<void> }[];
const heard: string[] = [];

beforeAll(async () => {
  world = await createTestDatabase();
  server = createServer((request, response) => {
    const id = String(request.headers['loom-delivery']);
    heard.push(id);
    const calls = heard.filter((one) => one === id).length;
    response.writeHead(calls < 3 ? 503 : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { redis_url, prefix } = testBackend();
  workers = await Promise.all([openWorker(redis_url, prefix), openWorker(redis_url, prefix)]);
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  server.closeAllConnections();
  server.close();
  await world.drop();
});

async function openWorker(redis_url: string | null, prefix: string) {
  const { url } = world;
  const db = await openDatabase({ url, pool_size: 4, application_name: 'delivery-test', logger });
  const backend = await openQueueBackend({ redis_url, database_url: url, prefix, logger });
  const bus = await backend.openBus();
  const capacities = { deliveries: 2 };
  const runtime = createRuntime({ db, backend, bus, config, logger, capacities });
  const deps = { db, settings: config.webhooks, now: () => new Date() };
  const worker = startWorker(runtime, {
    deliveries: (unit, context) => handleDelivery(deps, unit, context),
  });
  return {
    runtime,
    async stop() {
      await worker.stop();
      await runtime.close();
      await bus.close();
      await backend.close();
      await db.close();
    },
  };
}

test('workers deliver each webhook by rings and sweeps, and none again once it arrived', async () => {
  const ids = Array.from({ length: 6 }, () => newId('dlv'));
  const deliveries = ids.map((id) => ({
    id,
    tenant_id: 'acme',
    task_id: 'task_1',
    session_id: null,
    url: base,
    event: 'task.completed' as const,
    payload: {},
  }));
  const rings = await inTransaction(world.database, (client) =>
    insertDeliveries(client, deliveries),
  );
  // Every ring twice: the second finds the delivery taken.
  workers[0]?.runtime.ringer.ring([...rings, ...rings]);
  const open = () => world.rows(`SELECT 1 FROM deliveries WHERE status = 'pending'`);
  while ((await open()).length > 0);
  expect(heard.toSorted()).toEqual(ids.flatMap((id) => [id, id, id]).toSorted());
  const rows = await world.rows<{ status: string; unit: string; codes: number[] }>(
    `SELECT d.status, u.status AS unit, jsonb_path_query_array(d.attempts, '$[*].status') AS codes
      FROM deliveries d JOIN units u ON u.id = d.id`,
  );
  const delivered = { status: 'delivered', unit: 'done', codes: [503, 503, 200] };
  expect(rows).toEqual(ids.map(() => delivered));
});
