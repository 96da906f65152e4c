import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { createTestDatabase } from './test-database.ts';

async function databaseExists(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: inject('postgres').admin_url });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [
      new URL(url).pathname.slice(1),
    ]);
    return found.rowCount === 1;
  } finally {
    await client.end();
  }
}

it('gives each caller a migrated database of its own', async () => {
  const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  await first.rows(`INSERT INTO tenants (id) VALUES ('only-here')`);
  expect(await first.rows(`SELECT id FROM tenants WHERE id = 'only-here'`)).toHaveLength(1);
  expect(await second.rows(`SELECT id FROM tenants WHERE id = 'only-here'`)).toHaveLength(0);
  await first.drop();
  expect(await databaseExists(first.url)).toBe(false);
  expect(await databaseExists(second.url)).toBe(true);
});

it('names the connections that were left open', async () => {
  const database = await createTestDatabase();
  const forgotten = new pg.Client({
    connectionString: database.url,
    application_name: 'forgotten-worker',
  });
  forgotten.on('error', () => {});
  await forgotten.connect();
  await expect(database.drop()).rejects.toThrow('forgotten-worker');
  expect(await databaseExists(database.url)).toBe(false);
});
