import type { TestProject } from 'vitest/node';
import { testEnv } from './env.ts';
import { startPrivateRedis } from './private-redis.ts';
import { startTestPostgres } from './test-postgres.ts';

interface Servers {
  postgres: { admin_url: string; template: string };
  redis_url: string | null;
  stop(): Promise<void>;
}

interface SharedServers {
  started: Promise<Servers>;
  users: number;
}

// Every project loads this file anew; the servers are one set a run all the same.
const shared = globalThis as { loomTestServers?: SharedServers };

/** Gives the tests of a project one Postgres and one Redis for the whole run. */
export async function setup(project: TestProject): Promise<void> {
  shared.loomTestServers ??= { started: startServers(), users: 0 };
  shared.loomTestServers.users += 1;
  const servers = await shared.loomTestServers.started;
  project.provide('postgres', servers.postgres);
  project.provide('redis_url', servers.redis_url);
}

/** Stops the servers when the last project is done. */
export async function teardown(): Promise<void> {
  const servers = shared.loomTestServers;
  if (servers === undefined) return;
  servers.users -= 1;
  if (servers.users > 0) return;
  delete shared.loomTestServers;
  await (await servers.started).stop();
}

async function startServers(): Promise<Servers> {
  const env = testEnv();
  const [postgres, redis] = await Promise.all([
    startTestPostgres(env.postgres_url),
    env.redis_url === null ? startPrivateRedis() : null,
  ]);
  return {
    postgres: { admin_url: postgres.admin_url, template: postgres.template },
    redis_url: env.redis_url ?? redis?.url ?? null,
    async stop() {
      await Promise.all([postgres.stop(), redis?.stop()]);
    },
  };
}
