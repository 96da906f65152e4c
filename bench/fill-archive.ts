import { runAdmin } from '@loom/testing/test-postgres';
import { withClient } from './with-client.ts';

/** The archive: one long conversation among many others, written over the same time. */
export const archive = {
  tenant_id: 'default',
  session_id: 'ses_long',
  messages: 1_000_000,
  messages_of_session: 100_000,
};

const writers = 2;

/** Fills a migrated database with that archive: rows first, the text index as the migration defines it afterwards. */
export async function fillArchive(url: string, sentences: string[][]): Promise<void> {
  await runAdmin(
    url,
    // Nothing of this need survive, and it is read only.
    'ALTER SYSTEM SET fsync = off',
    'ALTER SYSTEM SET autovacuum = off',
    `ALTER SYSTEM SET max_wal_size = '16GB'`,
    'SELECT pg_reload_conf()',
    `INSERT INTO tenants (id) VALUES ('${archive.tenant_id}') ON CONFLICT DO NOTHING`,
    `INSERT INTO sessions (id, tenant_id) SELECT id, '${archive.tenant_id}'
     FROM unnest('${archive.session_id}'::text || ARRAY(SELECT 'ses_' || n FROM generate_series(0, 899) n)) id`,
    `CREATE UNLOGGED TABLE sentence AS SELECT place::int - 1 AS id, text
     FROM jsonb_array_elements_text('${JSON.stringify(sentences.map((words) => words.join(' ')))}')
       WITH ORDINALITY AS s(text, place)`,
    'ANALYZE sentence',
  );
  const indexes = await withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string; definition: string }>(
      `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
       WHERE tablename = 'messages' AND indexdef ILIKE '%using gin%'`,
    );
    return rows;
  });
  await runAdmin(url, ...indexes.map(({ name }) => `DROP INDEX ${name}`));
  await Promise.all(
    Array.from({ length: writers }, (_, writer) => writeMessages(url, writer, sentences.length)),
  );
  await runAdmin(
    url,
    `SET maintenance_work_mem = '512MB'`,
    ...indexes.map(({ definition }) => definition),
    'VACUUM ANALYZE messages',
  );
}

/** Every tenth message is of the long conversation; some name a thing that no other names. */
function writeMessages(url: string, writer: number, sentences: number): Promise<void> {
  return runAdmin(
    url,
    // Only the check that a message's session exists, which it does.
    'SET session_replication_role = replica',
    `INSERT INTO messages (session_id, number, tenant_id, role, content)
     SELECT CASE WHEN n % 10 = 0 THEN '${archive.session_id}' ELSE 'ses_' || (n - n / 10) % 900 END,
       CASE WHEN n % 10 = 0 THEN n / 10 ELSE (n - n / 10) / 900 + 1 END,
       '${archive.tenant_id}', CASE WHEN n % 2 = 0 THEN 'user' ELSE 'assistant' END,
       a.text || '. ' || b.text || CASE WHEN n % 50 = 0 THEN '. See ticket' || n ELSE '.' END
     FROM generate_series(1, ${archive.messages}) n
     JOIN sentence a ON a.id = abs(hashint4(n) % ${sentences})
     JOIN sentence b ON b.id = abs(hashint4(n + 7919) % ${sentences})
     WHERE n % ${writers} = ${writer}`,
  );
}
