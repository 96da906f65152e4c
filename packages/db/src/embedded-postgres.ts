import { chmod, mkdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '@loom/shared/app-error';
import type { Logger } from '@loom/shared/logger';
import pg from 'pg';
import { findPostgresBinaries } from './embedded-postgres/binaries.ts';
import { ensureCluster } from './embedded-postgres/cluster.ts';
import { awaitFreeCluster, clusterConnection } from './embedded-postgres/running-server.ts';
import { serverAccount } from './embedded-postgres/server-account.ts';
import { startServerProcess, stopServerProcess } from './embedded-postgres/server-process.ts';

/** A Postgres of our own, for as long as this process lives. */
export interface EmbeddedPostgres {
  url: string;
  stop(): Promise<void>;
}

const databaseName = 'loom';
const maxStarts = 3;

/**
 * Starts the Postgres of a data directory, made on first use, on a free port of 127.0.0.1.
 * It never outlives this process, however that ends, and never serves two of them.
 */
export async function startEmbeddedPostgres(options: {
  data_dir: string;
  logger?: Logger;
}): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new AppError(
      'unavailable',
      'The embedded Postgres does not run on Windows. Use WSL, or set DATABASE_URL.',
    );
  }
  const dataDir = resolve(options.data_dir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if (process.getuid?.() === 0) await chmod(dataDir, (await stat(dataDir)).mode | 0o001);

  const binaries = await findPostgresBinaries();
  const account = await serverAccount([dataDir, dirname(binaries.postgres)]);
  const cluster = await ensureCluster(dataDir, binaries, account);
  const logFile = join(dataDir, 'postgres.log');

  for (let start = 1; ; start++) {
    await awaitFreeCluster(cluster);
    try {
      const { port, child } = await startServerProcess(cluster, binaries, account, logFile);
      const connection = clusterConnection(port, cluster);
      await ensureDatabase(connection).catch(async (error) => {
        await stopServerProcess(child);
        throw error;
      });
      let stopping = false;
      child.on('exit', (code, signal) => {
        if (!stopping) options.logger?.error({ code, signal, log: logFile }, 'Postgres ended');
      });
      return {
        url: `postgres://${connection.user}:${connection.password}@${connection.host}:${port}/${databaseName}`,
        async stop() {
          stopping = true;
          await stopServerProcess(child);
        },
      };
    } catch (error) {
      // Someone took the port, or the remains of a killed server were still going away.
      if (start === maxStarts) throw error;
    }
  }
}

async function ensureDatabase(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [
      databaseName,
    ]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${databaseName}`);
  } finally {
    await client.end();
  }
}
