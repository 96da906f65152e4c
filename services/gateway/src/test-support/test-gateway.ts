import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@loom/db/database';
import { createApiKey } from '@loom/db/read/api-keys';
import { createQueueAdmin } from '@loom/queue/create-queue-admin';
import { openQueueBackend } from '@loom/queue/queue-backend';
import { createRuntime } from '@loom/runtime/create-runtime';
import { createIntake } from '@loom/runtime/intake';
import type { Scope } from '@loom/shared/api';
import { configSchema } from '@loom/shared/config';
import { createLogger } from '@loom/shared/logger';
import { createClient } from '@loom/testing/api-client';
import { testBackend } from '@loom/testing/backend';
import type { TestDatabase } from '@loom/testing/test-database';
import { createGateway } from '../create-gateway.ts';
import type { GatewayConfig } from '../gateway-deps.ts';

const logger = createLogger({ level: 'silent', name: 'gateway-test' });

/** A gateway on a real database, queue and bus, with no worker behind it. */
export async function startTestGateway(
  database: TestDatabase,
  overrides: Partial<GatewayConfig> = {},
) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'loom-gateway-')));
  const db = await openDatabase({
    url: database.url,
    pool_size: 8,
    application_name: 'gateway-test',
    logger,
  });
  const { redis_url, prefix } = testBackend();
  const backend = await openQueueBackend({ redis_url, database_url: database.url, prefix, logger });
  const bus = await backend.openBus();
  const config = configSchema.parse({ memory: { extraction_enabled: false } });
  const runtime = createRuntime({ db, backend, bus, config, logger, capacities: {} });
  const queueAdmin = createQueueAdmin(runtime.ringer);
  let isReady = true;
  const gateway = createGateway({
    db,
    intake: createIntake(runtime),
    queueAdmin,
    bus,
    tools: [],
    models: [
      {
        name: 'demo',
        provider: 'demo',
        model: 'demo',
        roles: ['cowork'],
        tier: 1,
        context_tokens: 8_000,
        max_output_tokens: 8_192,
        is_demo: true,
      },
    ],
    config: {
      max_body_bytes: 100_000,
      rate_limit_per_minute: 100_000,
      workspace_roots: [root],
      default_workspace: root,
      allow_private_callbacks: false,
      ...overrides,
    },
    webRoot: null,
    logger,
    isReady: async () => ({ ok: isReady, checks: { postgres: isReady ? 'ok' : 'down' } }),
    version: '0.0.0-test',
  });
  const server = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    root,
    db,
    bus,
    runtime,
    queueAdmin,
    setReady: (ready: boolean) => {
      isReady = ready;
    },
    async client(scopes: Scope[], tenant = 'default') {
      const key = `loom_${tenant}_${scopes.join('_')}`;
      const { id } = await createApiKey(db, { key, name: key, scopes, tenant });
      return { key, key_id: id, ...createClient({ url, key }) };
    },
    async close() {
      await server.close();
      await runtime.close();
      await bus.close();
      await backend.close();
      await db.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;
