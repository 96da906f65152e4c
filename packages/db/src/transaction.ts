import { errorMessage } from '@loom/shared/app-error';
import { faultPoint } from '@loom/shared/fault-point';
import type pg from 'pg';
import type { Database } from './database.ts';

const deadlockDetected = '40P01';
const serializationFailure = '40001';

/** A connection inside a transaction. */
export type Transaction = pg.PoolClient;

/**
 * Runs `work` in one transaction; a deadlock is no error but a reason to start over. Statements are
 * pipelined: BEGIN travels with the first of them, and `commit`, called without waiting for the
 * last ones, with those.
 */
export async function inTransaction<T>(
  db: Database,
  work: (client: Transaction, commit: () => Promise<void>) => Promise<T>,
): Promise<T> {
  for (;;) {
    const client = await db.pool.connect();
    let broken: Error | undefined;
    let committing: Promise<void> | null = null;
    const commit = (): Promise<void> => {
      faultPoint('commit.before');
      committing ??= sendCommit(client);
      return committing;
    };
    try {
      const begun = client.query('BEGIN');
      const [result] = await Promise.all([work(client, commit), begun]);
      await commit();
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

async function sendCommit(client: Transaction): Promise<void> {
  const { command } = await client.query('COMMIT');
  // What the server says when a statement before it failed: that statement's error tells more.
  if (command === 'ROLLBACK') throw new Error('the transaction was rolled back');
  faultPoint('commit.after');
}

function isContention(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === deadlockDetected || error.code === serializationFailure;
}
