import { createLogger } from '@loom/shared/logger';
import { freePort } from '@loom/testing/free-port';
import { type PrivateRedis, startPrivateRedis } from '@loom/testing/private-redis';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openQueueBackend } from './queue-backend.ts';

const logger = createLogger({ level: 'silent', name: 'test' });
const open = (redis_url: string) =>
  openQueueBackend({ redis_url, database_url: 'postgres://unused', prefix: 'test', logger });

let redis: PrivateRedis | null;
beforeAll(async () => {
  redis = await startPrivateRedis();
});
afterAll(() => redis?.stop());

test('a Redis that drops data when it is full is refused with what to do', async ({ skip }) => {
  if (redis === null) return skip('no redis-server here');
  const operator = new Redis(redis.url);
  await operator.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await expect(open(redis.url)).rejects.toMatchObject({
    code: 'invalid_config',
    message: expect.stringMatching(/"allkeys-lru".*Set it to "noeviction"/),
  });
  await operator.config('SET', 'maxmemory-policy', 'noeviction');
  const backend = await open(redis.url);
  await backend.ping();
  await backend.close();
  operator.disconnect();
});

test('a Redis that is not there is refused with what to check', async () => {
  await expect(open(`redis://127.0.0.1:${await freePort()}`)).rejects.toMatchObject({
    code: 'unavailable',
    retryable: true,
    message: expect.stringContaining('REDIS_URL'),
  });
});
