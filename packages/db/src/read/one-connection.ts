import type pg from 'pg';
import type { Database } from '../database.ts';

/** Reads several things over one connection: statements that are sent together take one round trip. */
export async function onOneConnection<T>(
  db: Database,
  read: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await db.pool.connect();
  let failure: Error | undefined;
  try {
    return await read(client);
  } catch (error) {
    // Others of its statements may still be under way: nobody else gets such a connection.
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.release(failure);
  }
}
