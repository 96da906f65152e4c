import { randomUUID } from 'node:crypto';
import { AppError, errorMessage } from '@loom/shared/app-error';
import pg from 'pg';
import { withAdvisoryLock } from './advisory-lock.ts';
import { findMigrationsDir, type Migration, readMigrations } from './migration-files.ts';

/**
 * Brings a database up to the newest migration and returns the names that it applied.
 * Any number of processes may do so at once: one works, the others wait and find it done.
 */
export async function migrateDatabase(
  url: string,
  options: { migrationsDir?: string } = {},
): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(options.migrationsDir ?? findMigrationsDir());
  const client = new pg.Client({ connectionString: url, application_name: 'loom-migrate' });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    throw new AppError(
      'unavailable',
      `Cannot connect to Postgres to migrate it: ${errorMessage(error)}. Check that it runs and that DATABASE_URL is right.`,
      { retryable: true, cause: error },
    );
  }
  try {
    return await withAdvisoryLock(client, 'loom.migrate', async () => {
      await client.query(createLedger);
      const pending = withoutApplied(migrations, await readLedger(client));
      for (const migration of pending) await applyMigration(client, migration);
      return { applied: pending.map((migration) => migration.name) };
    });
  } finally {
    await client.end();
  }
}

// Prisma's own ledger, so that `prisma migrate status` agrees.
const createLedger = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id varchar(36) PRIMARY KEY NOT NULL,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`;

interface LedgerRow {
  migration_name: string;
  checksum: string;
  finished: boolean;
}

async function readLedger(client: pg.Client): Promise<LedgerRow[]> {
  const { rows } = await client.query<LedgerRow>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  );
  return rows;
}

function withoutApplied(migrations: Migration[], ledger: LedgerRow[]): Migration[] {
  const applied = new Map(ledger.map((row) => [row.migration_name, row]));
  return migrations.filter((migration) => {
    const row = applied.get(migration.name);
    if (row === undefined) return true;
    if (!row.finished) {
      throw new AppError(
        'conflict',
        `Migration ${migration.name} was begun by Prisma and did not finish. Repair the database, then run \`prisma migrate resolve\` for it.`,
      );
    }
    if (row.checksum !== migration.checksum) {
      throw new AppError(
        'conflict',
        `Migration ${migration.name} was changed after this database applied it. Restore the file as it was and put the change into a new migration.`,
        { details: { applied: row.checksum, found: migration.checksum } },
      );
    }
    return false;
  });
}

async function applyMigration(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(migration.sql);
    await client.query(
      `INSERT INTO _prisma_migrations
         (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), 1)`,
      [randomUUID(), migration.checksum, migration.name],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw new AppError(
      'internal',
      `Migration ${migration.name} failed and was rolled back: ${errorMessage(error)}`,
      { cause: error },
    );
  }
}
