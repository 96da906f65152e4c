import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAdmin, withDatabase } from '@loom/testing/test-postgres';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, expect, inject, test } from 'vitest';
import { migrateDatabase } from './migrate.ts';
import { findMigrationsDir, readMigrations } from './migration-files.ts';

const { admin_url: adminUrl } = inject('postgres');
const name = `loom_migrate_${process.pid}`;
const url = withDatabase(adminUrl, name);
let migrationsDir: string;

beforeEach(async () => {
  migrationsDir = await mkdtemp(join(tmpdir(), 'loom-migrations-'));
  await runAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name}`, `CREATE DATABASE ${name}`);
});

afterEach(() => rm(migrationsDir, { recursive: true }));
afterAll(() => runAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name}`));

test('eight processes migrate at once and each migration is applied by one of them', async () => {
  const results = await Promise.all(Array.from({ length: 8 }, () => migrateDatabase(url)));
  const expected = (await readMigrations(findMigrationsDir())).map((migration) => migration.name);
  expect(results.flatMap((result) => result.applied)).toEqual(expected);
  expect(await query('SELECT migration_name FROM _prisma_migrations ORDER BY 1')).toEqual(
    expected.map((migration_name) => ({ migration_name })),
  );
  expect(await migrateDatabase(url)).toEqual({ applied: [] });
});

test('keeps the ledger as Prisma would', async () => {
  await write('20260101000000_first', 'CREATE TABLE first (id int);\n');
  await migrateDatabase(url, { migrationsDir });
  const [row] = await query('SELECT * FROM _prisma_migrations');
  expect(row).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    // sha256 of the file's bytes.
    checksum: '5dda2ccc07b9fc87887614da6184744bdcbf2b88c9587752201564584dafec19',
    migration_name: '20260101000000_first',
    logs: null,
    rolled_back_at: null,
    started_at: expect.any(Date),
    finished_at: expect.any(Date),
    applied_steps_count: 1,
  });
});

test('applies only what is new, in the order of names', async () => {
  await write('20260102000000_second', 'ALTER TABLE first ADD COLUMN name text;');
  await write('20260101000000_first', 'CREATE TABLE first (id int);');
  const first = await migrateDatabase(url, { migrationsDir });
  expect(first.applied).toEqual(['20260101000000_first', '20260102000000_second']);
  await write('20260103000000_third', 'ALTER TABLE first DROP COLUMN name;');
  const second = await migrateDatabase(url, { migrationsDir });
  expect(second.applied).toEqual(['20260103000000_third']);
});

test('a migration that fails leaves nothing of itself and keeps the ones before', async () => {
  await write('20260101000000_good', 'CREATE TABLE good (id int);');
  await write('20260102000000_bad', 'CREATE TABLE half (id int); SELECT no_such_column;');
  await expect(migrateDatabase(url, { migrationsDir })).rejects.toThrow(
    /20260102000000_bad failed and was rolled back: column "no_such_column" does not exist/,
  );
  expect(await query("SELECT to_regclass('good') AS good, to_regclass('half') AS half")).toEqual([
    { good: 'good', half: null },
  ]);
  await write('20260102000000_bad', 'CREATE TABLE half (id int);');
  expect((await migrateDatabase(url, { migrationsDir })).applied).toEqual(['20260102000000_bad']);
});

test('refuses to go on when an applied migration was edited', async () => {
  await write('20260101000000_first', 'CREATE TABLE first (id int);');
  await migrateDatabase(url, { migrationsDir });
  await write('20260101000000_first', 'CREATE TABLE first (id bigint);');
  await write('20260102000000_second', 'CREATE TABLE second (id int);');
  const failure = await migrateDatabase(url, { migrationsDir }).catch((error) => error);
  expect(failure.code).toBe('conflict');
  expect(failure.message).toContain('20260101000000_first was changed');
  expect(await query("SELECT to_regclass('second') AS second")).toEqual([{ second: null }]);
});

test('says what to do when the server cannot be reached', async () => {
  const failure = await migrateDatabase('postgres://127.0.0.1:1/none').catch((error) => error);
  expect(failure.code).toBe('unavailable');
  expect(failure.message).toContain('DATABASE_URL');
});

async function write(migration: string, sql: string): Promise<void> {
  await mkdir(join(migrationsDir, migration), { recursive: true });
  await writeFile(join(migrationsDir, migration, 'migration.sql'), sql);
}

async function query(sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
