import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@loom/db/embedded-postgres';
import { migrateDatabase } from '@loom/db/migrate';
import pg from 'pg';

/** The Postgres of a test run. */
export interface TestPostgres {
  /** A connection that may create and drop databases. */
  admin_url: string;
  /** The migrated database that tests are given copies of. */
  template: string;
  stop(): Promise<void>;
}

/** Starts a Postgres that forgets on power loss and takes many connections, or uses the given one. */
export async function startTestPostgres(givenUrl: string | null): Promise<TestPostgres> {
  const server =
    givenUrl === null ? await startThrowaway() : { url: givenUrl, stop: async () => {} };
  const template = `loom_template_${process.pid}_${Date.now().toString(36)}`;
  await runAdmin(server.url, `CREATE DATABASE ${template}`);
  await migrateDatabase(withDatabase(server.url, template));
  return {
    admin_url: server.url,
    template,
    async stop() {
      if (givenUrl !== null) await runAdmin(givenUrl, `DROP DATABASE ${template} WITH (FORCE)`);
      await server.stop();
    },
  };
}

async function startThrowaway(): Promise<{ url: string; stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'loom-postgres-'));
  const first = await startEmbeddedPostgres({ data_dir: directory });
  await runAdmin(
    first.url,
    'ALTER SYSTEM SET fsync = off',
    'ALTER SYSTEM SET synchronous_commit = off',
    'ALTER SYSTEM SET full_page_writes = off',
    'ALTER SYSTEM SET max_connections = 400',
  );
  // The number of connections is fixed when the server starts.
  await first.stop();
  const server = await startEmbeddedPostgres({ data_dir: directory });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The same server, another database. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** Runs statements one after the other on a connection of their own. */
export async function runAdmin(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'loom-test-admin' });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
