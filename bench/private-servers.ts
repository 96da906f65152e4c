import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@loom/db/embedded-postgres';
import { onFileEnd } from '@loom/testing/file-end';
import { type PrivateRedis, startPrivateRedis } from '@loom/testing/private-redis';

export type BackendKind = 'redis' | 'postgres';

/** The servers that a deployment stands on. */
export interface PrivateServers {
  /** Where a deployment on these servers may keep things. */
  data_dir: string;
  database_url: string;
  /** Null on the Postgres backend. */
  redis_url: string | null;
  stop(): Promise<void>;
}

/** A directory that is gone when the run is over. */
export async function makeDirectory(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `loom-bench-${name}-`));
  onFileEnd(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A Postgres as the product embeds it, every commit on disk, and for `redis` a Redis without persistence. */
export async function startServers(kind: BackendKind): Promise<PrivateServers> {
  const data_dir = await makeDirectory('postgres');
  const [postgres, redis] = await Promise.all([
    keep(startEmbeddedPostgres({ data_dir })),
    kind === 'redis' ? keep(startRedis()) : null,
  ]);
  return {
    data_dir,
    database_url: postgres.url,
    redis_url: redis?.url ?? null,
    stop: async () => {
      await redis?.stop();
      await postgres.stop();
    },
  };
}

async function startRedis(): Promise<PrivateRedis> {
  const redis = await startPrivateRedis();
  if (redis === null) throw new Error('there is no redis-server on the PATH');
  return redis;
}

/** Promises to stop a server before it is even there, so that an interrupt leaves nothing behind. */
async function keep<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  onFileEnd(async () => {
    const started = await starting.catch(() => null);
    await started?.stop();
  });
  return starting;
}
