import { openDatabase } from '@loom/db/database';
import { openQueueBackend } from '@loom/queue/queue-backend';
import { createWorkerMetrics } from '@loom/runtime/worker-metrics';
import { loadConfig } from '@loom/shared/load-config';
import { createLogger } from '@loom/shared/logger';
import { testBackend } from '@loom/testing/backend';
import { createTestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHealthServer } from './health-server.ts';

const logger = createLogger({ level: 'silent', name: 'health-test' });
const metrics = createWorkerMetrics({ process: true });
const closers: (() => Promise<unknown>)[] = [];
let closeDatabase: () => Promise<void>;
let url: string;

beforeAll(async () => {
  const database = await createTestDatabase();
  closers.push(() => database.drop());
  const { redis_url, prefix } = testBackend();
  const backend = await openQueueBackend({ redis_url, database_url: database.url, prefix, logger });
  closers.push(() => backend.close());
  const opened = { url: database.url, pool_size: 2, application_name: 'health-test', logger };
  const db = await openDatabase(opened);
  closeDatabase = () => db.close();
  const settings = loadConfig({ env: {}, flags: {}, readFile: () => null });
  const server = await startHealthServer({ db, backend, settings }, 0, metrics);
  closers.push(() => server.close());
  url = `http://127.0.0.1:${server.port}`;
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

const get = async (path: string) => {
  const response = await fetch(`${url}${path}`);
  return { status: response.status, text: await response.text(), headers: response.headers };
};

it('shows what the worker has counted, and its process', async () => {
  metrics.observeTool('read_file', 'ok', 4);
  const { status, text, headers } = await get('/metrics');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe(metrics.content_type);
  expect(text).toContain('loom_tool_calls_total{tool="read_file",outcome="ok"} 1\n');
  expect(text).toContain('\nprocess_resident_memory_bytes ');
});

it('says whether it lives, whether it can work, and nothing else', async () => {
  expect(await get('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  expect(await get('/readyz')).toMatchObject({ status: 200 });
  for (const path of ['/', '/metrics/', '/api/tasks', '/metrics?x=1']) {
    expect(await get(path)).toMatchObject({ status: 404 });
  }
  await closeDatabase();
  expect(await get('/readyz')).toMatchObject({ status: 503, text: '{"status":"unavailable"}' });
  expect(await get('/healthz')).toMatchObject({ status: 200 });
});
