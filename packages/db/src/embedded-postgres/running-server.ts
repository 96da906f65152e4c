import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AppError } from '@loom/shared/app-error';
import pg from 'pg';
import type { Cluster } from './cluster.ts';

const shutdownPatience = 15_000;

/**
 * Makes sure that no server holds the cluster: refuses when another process uses it,
 * waits for one whose process has died, and clears what a killed one left behind.
 */
export async function awaitFreeCluster(cluster: Cluster): Promise<void> {
  const deadline = Date.now() + shutdownPatience;
  for (;;) {
    const server = await readPostmasterFile(cluster);
    if (server === null) return;
    if (!(await isServerOf(server.pid, cluster))) {
      await rm(join(cluster.directory, 'postmaster.pid'), { force: true });
      return;
    }
    const user = await userOfServer(server.port, cluster);
    if ((user !== null && isAlive(user)) || Date.now() > deadline) {
      const who = user === null ? `Postgres process ${server.pid}` : `process ${user}`;
      throw new AppError(
        'conflict',
        `The database in ${cluster.directory} is in use by ${who} (its Postgres: ${server.pid}). Stop that one, or set LOOM_DATA_DIR to another directory, or share one database through DATABASE_URL.`,
        { details: { pid: user ?? server.pid, postgres_pid: server.pid } },
      );
    }
    await delay(100);
  }
}

async function readPostmasterFile(cluster: Cluster): Promise<{ pid: number; port: number } | null> {
  const text = await readFile(join(cluster.directory, 'postmaster.pid'), 'utf8').catch(() => null);
  if (text === null) return null;
  const lines = text.split('\n');
  return { pid: Number(lines[0]), port: Number(lines[3]) };
}

// After a crash the number may belong to anyone.
async function isServerOf(pid: number, cluster: Cluster): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return false;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(async () => {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]);
    return stdout;
  });
  return command.includes(cluster.directory);
}

/** The server carries the number of the process that started it as its cluster name. */
export function clusterName(pid: number): string {
  return `loom-${pid}`;
}

async function userOfServer(port: number, cluster: Cluster): Promise<number | null> {
  const client = new pg.Client({
    ...clusterConnection(port, cluster),
    connectionTimeoutMillis: 2_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query('SHOW cluster_name');
    return Number(String(rows[0]?.cluster_name).split('-')[1]);
  } catch {
    return null;
  } finally {
    await client.end().catch(() => {});
  }
}

/** How to connect to the cluster's own database as its superuser. */
export function clusterConnection(port: number, cluster: Cluster) {
  return {
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password: cluster.password,
    database: 'postgres',
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
