import type { ClientBase } from 'pg';

/** Runs `fn` while this session holds the named lock; whoever else wants the name waits. */
export async function withAdvisoryLock<T>(
  client: ClientBase,
  key: string,
  fn: () => Promise<T>,
): Promise<T> {
  await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [key]);
  try {
    return await fn();
  } finally {
    await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [key]);
  }
}
