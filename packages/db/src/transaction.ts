import { errorMessage } from '@loom/shared/app-error';
import type pg from 'pg';
import type { Database } from './database.ts';

const deadlockDetected = '40P01';
const serializationFailure = '40001';

/** Runs `work` in one transaction; a deadlock is no error but a reason to start over. */
export async function inTransaction<T>(
  db: Database,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  for (;;) {
    const client = await db.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: unknown) => {
        broken = new Error(errorMessage(failure));
      });
      if (!isContention(error)) throw error;
    } finally {
      // A connection that cannot roll back is not given to anybody else.
      client.release(broken);
    }
  }
}

function isContention(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === deadlockDetected || error.code === serializationFailure;
}
