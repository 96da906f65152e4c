import { AppError } from '@loom/shared/app-error';
import type pg from 'pg';
import { withAdvisoryLock } from '../advisory-lock.ts';
import type { Database } from '../database.ts';

/** A connection that holds the lock of a workspace. Not in a transaction: disks may be slow. */
export type LockedClient = pg.PoolClient;

/** The name of a workspace's lock: reverts hold it alone, calls share it while they say what they change. */
export function workspaceLock(workspace: string): string {
  return `file-changes/${workspace}`;
}

/** Runs `work` while no other revert happens in the workspace and no call begins to change its files. */
export async function withWorkspaceLock<T>(
  db: Database,
  workspace: string,
  work: (client: LockedClient) => Promise<T>,
): Promise<T> {
  const client = await db.pool.connect();
  let failure: Error | undefined;
  try {
    return await withAdvisoryLock(client, workspaceLock(workspace), () => work(client));
  } catch (error) {
    // After anything but a refusal it is not known whether the lock was given back.
    if (!(error instanceof AppError)) failure = new Error('unfinished', { cause: error });
    throw error;
  } finally {
    client.release(failure);
  }
}
