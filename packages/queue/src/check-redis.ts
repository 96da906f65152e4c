import { AppError, errorMessage } from '@loom/shared/app-error';
import type { Redis } from 'ioredis';

/** Refuses a Redis that cannot be reached or that would throw queue data away when it is full. */
export async function checkRedis(redis: Redis): Promise<void> {
  let info: string;
  try {
    info = await redis.info('memory');
  } catch (error) {
    throw new AppError(
      'unavailable',
      `Cannot use Redis: ${errorMessage(error)}. Check that it runs and that REDIS_URL is right.`,
      { retryable: true, cause: error },
    );
  }
  const policy = /maxmemory_policy:(\S+)/.exec(info)?.[1] ?? 'unknown';
  if (policy !== 'noeviction') {
    throw new AppError(
      'invalid_config',
      `Redis has maxmemory-policy "${policy}", which drops queued work when memory is short. Set it to "noeviction".`,
    );
  }
}
