import type { Logger } from '@loom/shared/logger';
import type { JobPayload, QueueName } from '@loom/shared/queues';
import type { WakeBus } from '@loom/shared/wake';
import { createPostgresBackend, type Processor, Queue, runMigrations, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { checkRedis } from './check-redis.ts';
import type { QueueLine } from './fair-order.ts';
import { openPostgresBus } from './postgres-bus.ts';
import { readPostgresLine, readRedisLine } from './read-line.ts';
import { openRedisBus } from './redis-bus.ts';

export type JobQueue = Queue<JobPayload>;
export type JobWorker = Worker<JobPayload>;

interface WorkerSettings {
  concurrency: number;
  lock_ms: number;
}

/** Queues and wake-ups on Redis or on Postgres: the one switch between the two. */
export interface QueueBackend {
  kind: 'redis' | 'postgres';
  openQueue(name: QueueName): JobQueue;
  openWorker(
    name: QueueName,
    processor: Processor<JobPayload>,
    settings: WorkerSettings,
  ): JobWorker;
  /** What waits in a queue right now; null when nothing does. */
  readLine(name: QueueName): Promise<QueueLine | null>;
  openBus(): Promise<WakeBus>;
  /** Throws when the server cannot be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

interface BackendOptions {
  redis_url: string | null;
  database_url: string;
  prefix: string;
  logger: Logger;
}

/** Opens the backend that the settings ask for, and proves that it can be used. */
export async function openQueueBackend(options: BackendOptions): Promise<QueueBackend> {
  return options.redis_url === null
    ? openPostgresBackend(options)
    : openRedisBackend(options, options.redis_url);
}

// The engine owns retries and counts starts, so the queue neither retries nor gives up on stalls.
const jobOptions = {
  attempts: 1,
  removeOnComplete: { count: 200 },
  removeOnFail: { count: 2_000 },
};

function workerOptions({ concurrency, lock_ms }: WorkerSettings) {
  return {
    concurrency,
    lockDuration: lock_ms,
    stalledInterval: lock_ms,
    maxStalledCount: 1_000_000,
    removeOnComplete: jobOptions.removeOnComplete,
    removeOnFail: jobOptions.removeOnFail,
  };
}

async function openRedisBackend(options: BackendOptions, url: string): Promise<QueueBackend> {
  const { prefix, logger } = options;
  // Callers must not hang on a dead Redis: the row is the truth, and the sweeper rings again.
  const producer = new Redis(url, { maxRetriesPerRequest: 1 });
  const consumer = new Redis(url, { maxRetriesPerRequest: null });
  for (const client of [producer, consumer]) {
    client.on('error', (err) => logger.warn({ err }, 'redis connection'));
  }
  try {
    await checkRedis(producer);
  } catch (error) {
    producer.disconnect();
    consumer.disconnect();
    throw error;
  }
  return {
    kind: 'redis',
    openQueue: (name) =>
      new Queue<JobPayload>(name, {
        connection: producer,
        prefix,
        defaultJobOptions: jobOptions,
      }).on('error', (err) => logger.warn({ err, queue: name }, 'queue')),
    openWorker: (name, processor, settings) =>
      new Worker<JobPayload>(name, processor, {
        connection: consumer,
        prefix,
        ...workerOptions(settings),
      }).on('error', (err) => logger.warn({ err, queue: name }, 'worker')),
    readLine: (name) => readRedisLine(producer, `${prefix}:${name}:prioritized`),
    openBus: () => openRedisBus({ publisher: producer, url, channel: `${prefix}:wake`, logger }),
    ping: async () => {
      await producer.ping();
    },
    close: async () => {
      producer.disconnect();
      consumer.disconnect();
    },
  };
}

const bullmqSchema = 'bullmq';

async function openPostgresBackend(options: BackendOptions): Promise<QueueBackend> {
  const { database_url, logger } = options;
  // One pool for all queues and workers of the process; each worker keeps one connection to LISTEN.
  const pool = new pg.Pool({
    connectionString: database_url,
    max: 14,
    keepAlive: true,
    application_name: 'loom-queue',
    options: `-c search_path=${bullmqSchema}`,
  });
  pool.on('error', (err) => logger.warn({ err }, 'idle queue connection lost'));
  // A connection in use has no other listener, and an error that nobody hears ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const client = await pool.connect();
  try {
    await runMigrations(client, bullmqSchema);
  } finally {
    client.release();
  }
  return {
    kind: 'postgres',
    openQueue: (name) =>
      new Queue<JobPayload>(
        name,
        { connection: pool as never, defaultJobOptions: jobOptions },
        createPostgresBackend as never,
      ).on('error', (err) => logger.warn({ err, queue: name }, 'queue')),
    openWorker: (name, processor, settings) =>
      new Worker<JobPayload>(
        name,
        processor,
        { connection: pool as never, ...workerOptions(settings) },
        createPostgresBackend as never,
      ).on('error', (err) => logger.warn({ err, queue: name }, 'worker')),
    readLine: (name) => readPostgresLine(pool, name),
    openBus: () => openPostgresBus({ pool, url: database_url, logger }),
    ping: async () => {
      await pool.query('SELECT 1');
    },
    close: () => pool.end(),
  };
}
