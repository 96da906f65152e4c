import { createLogger } from '@loom/shared/logger';
import type { JobPayload } from '@loom/shared/queues';
import { testBackend } from '@loom/testing/backend';
import { createTestDatabase } from '@loom/testing/test-database';
import { type Consumer, consumeQueue, type JobOutcome } from '../consume.ts';
import { openQueueBackend } from '../queue-backend.ts';
import { createRinger } from '../ringer.ts';

export const lockMs = 800;
let worlds = 0;
const logger = createLogger({ level: 'silent', name: 'test' });

/** Queues of one's own on the project's backend; `redis_url` names another Redis than the run's. */
export async function openQueueWorld(redis_url = testBackend().redis_url) {
  const database = await createTestDatabase();
  worlds += 1;
  const prefix = `${testBackend().prefix}-${worlds}`;
  const options = { redis_url, database_url: database.url, prefix, logger };
  const backend = await openQueueBackend(options);
  const ringer = createRinger(backend, logger);
  const consumers: Consumer[] = [];
  const ringers = [{ ringer, backend }];
  return {
    database,
    backend,
    ringer,
    queue: ringer.queue('subtasks'),
    ring: (unit_id: string, epoch = 0) =>
      ringer.ring([{ queue: 'subtasks', tenant_id: 'default', unit_id, epoch }]),
    /** Another process that rings for the same queues. */
    async openRinger() {
      const other = await openQueueBackend(options);
      const ringer = createRinger(other, logger);
      ringers.push({ ringer, backend: other });
      return ringer;
    },
    consume(
      handle: (payload: JobPayload, signal: AbortSignal) => Promise<JobOutcome>,
      concurrency = 1,
    ): Consumer {
      const consumer = consumeQueue({
        backend,
        queue: 'subtasks',
        concurrency,
        lock_ms: lockMs,
        logger,
        handle,
      });
      consumers.push(consumer);
      return consumer;
    },
    async close() {
      await Promise.all(consumers.map((consumer) => consumer.close()));
      for (const opened of ringers) {
        await opened.ringer.close();
        await opened.backend.close();
      }
    },
  };
}

export type QueueWorld = Awaited<ReturnType<typeof openQueueWorld>>;
