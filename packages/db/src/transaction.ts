import { errorMessage } from '@loom/shared/app-error';
import { faultPoint } from '@loom/shared/fault-point';
import type pg from 'pg';
import type { Database } from './database.ts';

const deadlockDetected = '40P01';
const serializationFailure = '40001';

/** A connection inside a transaction. */
export type Transaction = pg.PoolClient;

/** Runs `work` in one transaction; a deadlock is no error but a reason to start over. */
export async function inTransaction<T>(
  db: Database,
  work: (client: Transaction) => Promise<T>,
): Promise<T> {
  for (;;) {
    const client = await db.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(client);
      faultPoint('commit.before');
      await client.query('COMMIT');
      faultPoint('commit.after');
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
