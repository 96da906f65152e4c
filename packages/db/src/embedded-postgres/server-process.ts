import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@loom/shared/app-error';
import pg from 'pg';
import type { PostgresBinaries } from './binaries.ts';
import { type Cluster, serverEnvironment } from './cluster.ts';
import { clusterConnection, clusterName } from './running-server.ts';
import type { ServerAccount } from './server-account.ts';

/** A server that accepts connections. */
export interface ServerProcess {
  port: number;
  child: ChildProcess;
}

// The shell becomes the server. Before, it leaves a watcher behind, parted from the server by a
// second fork, that reads the pipe from us: when we are gone, however we died, the read ends.
const startUnderWatch = `
( ( while read -r line <&3; do :; done; kill -INT $$ ) </dev/null >/dev/null 2>&1 & ) 3<&0
exec "$@" </dev/null`;

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // Start, stop and crashes; a statement that fails is told to whoever sent it.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

/** Starts the server in a process group of its own, where Ctrl-C does not reach it. */
export async function startServerProcess(
  cluster: Cluster,
  binaries: PostgresBinaries,
  account: ServerAccount,
  logFile: string,
): Promise<ServerProcess> {
  const logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const log = openSync(logFile, 'a', 0o600);
  const port = await freePort();
  const options = { ...settings, port, cluster_name: clusterName(process.pid) };
  const [command = '/bin/sh', ...args] = [
    ...account.prefix,
    '/bin/sh',
    '-c',
    startUnderWatch,
    'sh',
    binaries.postgres,
    ...['-D', cluster.directory],
    ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const child = spawn(command, args, {
    ...(account.prefix.length === 0 ? account.owner : null),
    cwd: '/',
    env: serverEnvironment,
    detached: true,
    stdio: ['pipe', log, log],
  });
  closeSync(log);
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  child.once('exit', () => child.stdin?.destroy());

  if (await becomesReady(child, port, cluster)) {
    child.unref();
    return { port, child };
  }
  await stopServerProcess(child);
  const output = readFileSync(logFile).subarray(logStart).toString().trim();
  throw new AppError('unavailable', `The embedded Postgres did not start: ${output}`, {
    retryable: true,
  });
}

/** How long connections may take to say goodbye, then how long the server itself may take. */
const goodbyeMs = 2_000;
const shutdownMs = 4_000;

/**
 * Waits for the connections that are being closed, as a pool does not when it ends; then shuts
 * down fast: open transactions are rolled back, everything committed is kept.
 */
export async function stopServerProcess(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  child.ref();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const hurried = setTimeout(() => child.stdin?.end(), goodbyeMs);
  const forced = setTimeout(() => child.kill('SIGQUIT'), goodbyeMs + shutdownMs);
  await ended;
  clearTimeout(hurried);
  clearTimeout(forced);
}

async function becomesReady(child: ChildProcess, port: number, cluster: Cluster) {
  const deadline = Date.now() + 60_000;
  while (!hasEnded(child) && Date.now() < deadline) {
    const client = new pg.Client(clusterConnection(port, cluster));
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query('SHOW cluster_name');
      if (rows[0]?.cluster_name === clusterName(process.pid)) return true;
    } catch {
      // Still starting.
    } finally {
      await client.end().catch(() => {});
    }
    await delay(25);
  }
  return false;
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
