import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AppError } from '@loom/shared/app-error';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';

const packageDir = dirname(dirname(fileURLToPath(import.meta.url)));
let dataDir: string;
let holder: ChildProcess | null = null;
const started: EmbeddedPostgres[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'loom-embedded-'));
});

afterEach(async () => {
  holder?.kill('SIGKILL');
  holder = null;
  for (const server of started.splice(0)) await server.stop();
  await expectNoServer();
});

afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

test('keeps its data over a restart, with its password readable by the owner only', async () => {
  const first = await start();
  await query(first.url, 'CREATE TABLE notes (text text)');
  await query(first.url, "INSERT INTO notes VALUES ('Grüße 🌊')");
  await first.stop();
  await expect(query(first.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');

  const second = await start();
  expect(await query(second.url, 'SELECT text FROM notes')).toEqual([{ text: 'Grüße 🌊' }]);
  expect(await query(second.url, 'SHOW synchronous_commit')).toEqual([
    { synchronous_commit: 'on' },
  ]);
  expect(await query(second.url, 'SHOW listen_addresses')).toEqual([
    { listen_addresses: '127.0.0.1' },
  ]);
  expect((await stat(join(dataDir, 'postgres.password'))).mode & 0o777).toBe(0o600);
  const wrongPassword = second.url.replace(/:[^:@]+@/, ':guess@');
  await expect(query(wrongPassword, 'SELECT 1')).rejects.toThrow('password authentication failed');
});

test('stops quickly though a transaction is open, and stopping twice is harmless', async () => {
  const server = await start();
  const client = new pg.Client(server.url);
  client.on('error', () => {});
  await client.connect();
  await client.query('BEGIN');
  const begin = Date.now();
  await server.stop();
  await server.stop();
  expect(Date.now() - begin).toBeLessThan(5_000);
});

test('refuses a second start on the same directory and names the process that holds it', async () => {
  const server = await start();
  const refusal = await startEmbeddedPostgres({ data_dir: dataDir }).catch((error) => error);
  expect(refusal).toBeInstanceOf(AppError);
  expect(refusal.code).toBe('conflict');
  expect(refusal.message).toContain(`process ${process.pid} `);
  expect(refusal.message).toContain('LOOM_DATA_DIR');
  expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('is gone soon after kill -9 of its process, and starts again at once', async () => {
  const url = await startInOtherProcess();
  await query(url, 'CREATE TABLE kept (n int)');
  holder?.kill('SIGKILL');
  // No waiting: the next start has to cope with a server that is still going down.
  const next = await start();
  expect(next.url).not.toBe(url);
  expect(await query(next.url, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 0 }]);
  await expect(query(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
});

test('leaves no server behind when its process is killed', async () => {
  await startInOtherProcess();
  expect(serverPid()).not.toBeNull();
  holder?.kill('SIGKILL');
  await expectNoServer();
});

test('is not blocked by the lock file of a killed server, whoever has its number now', async () => {
  const server = await start();
  const lock = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8');
  await server.stop();
  const own = lock.replace(/^\d+/, String(process.pid));
  await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), own);
  const next = await start();
  expect(await query(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('runs below a directory that only its owner may enter', async () => {
  const privateDir = await mkdtemp(join(dataDir, 'private-'));
  const server = await start(join(privateDir, 'data'));
  expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect((await stat(privateDir)).mode & 0o777).toBe(0o700);
});

async function start(directory = dataDir): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ data_dir: directory });
  started.push(server);
  return server;
}

async function startInOtherProcess(): Promise<string> {
  const { bundle } = await import('../../../scripts/bundle.mjs');
  const out = join(packageDir, 'dist', 'hold-postgres');
  await bundle('packages/db/src/embedded-postgres/hold-postgres.fixture.ts', out);
  holder = spawn(process.execPath, [join(out, 'hold-postgres.fixture.js'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (holder.stdout === null) throw new Error('no output');
  const [url] = await once(createInterface(holder.stdout), 'line');
  return url;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function serverPid(): number | null {
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : null;
}

async function expectNoServer(): Promise<void> {
  await vi.waitFor(() => expect(serverPid()).toBeNull(), { timeout: 5_000, interval: 20 });
}
