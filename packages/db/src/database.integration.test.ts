import { createLogger } from '@loom/shared/logger';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { beforeAll, expect, test } from 'vitest';
import { openDatabase } from './database.ts';

const logger = createLogger({ level: 'silent', name: 'test' });
let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});

test('gives bigints as numbers while they are exact, and as text beyond', async () => {
  expect(await db.rows('SELECT 9007199254740991 AS most, 9007199254740993 AS more')).toEqual([
    { most: 9007199254740991, more: '9007199254740993' },
  ]);
});

test('serves Prisma from the same pool and closes both', async () => {
  const { pool, prisma, close } = await openDatabase({
    url: db.url,
    pool_size: 2,
    application_name: 'loom-database-test',
    logger,
  });
  await (await prisma()).tenant.create({ data: { id: 'acme' } });
  const { rows } = await pool.query('SELECT id FROM tenants');
  expect(rows).toEqual([{ id: 'acme' }]);
  const count = `SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'loom-database-test'`;
  expect((await db.rows<{ n: number }>(count))[0]?.n).toBeLessThanOrEqual(2);
  await Promise.all([close(), close()]);
  await expect(pool.query('SELECT 1')).rejects.toThrow('after calling end');
});

test('survives the loss of its idle connections', async () => {
  const database = await openDatabase({
    url: db.url,
    pool_size: 2,
    application_name: 'loom-lost',
    logger,
  });
  const lost = new Promise((resolve) => database.pool.once('error', resolve));
  await db.rows(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'loom-lost'`,
  );
  await lost;
  expect((await database.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await database.close();
});

test('bounds statements and forgotten transactions', async () => {
  expect(await db.rows('SHOW statement_timeout')).toEqual([{ statement_timeout: '1min' }]);
  expect(await db.rows('SHOW idle_in_transaction_session_timeout')).toEqual([
    { idle_in_transaction_session_timeout: '10s' },
  ]);
});

test('an address that does not answer is an error that says what to check, without secrets', async () => {
  const failure = await openDatabase({
    url: 'postgres://someone:hunter2@127.0.0.1:1/none',
    pool_size: 1,
    application_name: 'loom-test',
    logger,
  }).catch((error) => error);
  expect(failure.code).toBe('unavailable');
  expect(failure.message).toContain('127.0.0.1:1/none');
  expect(failure.message).toContain('DATABASE_URL');
  expect(failure.message).not.toContain('hunter2');
});
