import { testBackend } from '@loom/testing/backend';
import type { TestDatabase } from '@loom/testing/test-database';
import { Redis } from 'ioredis';
import type { JobQueue } from '../queue-backend.ts';

/** Gives the lock of a job under way to someone else, as happens when it was not renewed in time. */
export async function stealLock(
  database: TestDatabase,
  queue: JobQueue,
  jobId: string,
): Promise<void> {
  if (!(await replaceToken(database, queue, jobId))) throw new Error(`job ${jobId} has no lock`);
}

async function replaceToken(
  database: TestDatabase,
  queue: JobQueue,
  jobId: string,
): Promise<boolean> {
  const { redis_url } = testBackend();
  if (redis_url === null) {
    const stolen = await database.rows(
      `UPDATE bullmq.job SET lock_token = 'thief' WHERE id = $1 AND lock_token IS NOT NULL RETURNING id`,
      [jobId],
    );
    return stolen.length === 1;
  }
  const redis = new Redis(redis_url);
  try {
    return (await redis.set(`${queue.toKey(jobId)}:lock`, 'thief', 'KEEPTTL', 'XX')) === 'OK';
  } finally {
    redis.disconnect();
  }
}
