import type { Redis } from 'ioredis';
import type pg from 'pg';
import type { QueueLine } from './fair-order.ts';

/** Counting more than this would cost more than it tells. */
const countLimit = 2_000;

/** Looks at the jobs that wait in a queue on Redis; null when none do. `key` is that of its sorted set. */
export async function readRedisLine(redis: Redis, key: string): Promise<QueueLine | null> {
  const [first, last, count] = await Promise.all([
    redis.zrange(key, 0, '0', 'WITHSCORES'),
    redis.zrange(key, -1, '-1', 'WITHSCORES'),
    redis.zcard(key),
  ]);
  if (first[1] === undefined || last[1] === undefined) return null;
  return { first: stampOf(first[1]), last: stampOf(last[1]), count };
}

/** BullMQ scores a job with its priority above 32 bits that count. */
function stampOf(score: string): number {
  return Math.floor(Number(score) / 2 ** 32);
}

/** Looks at the jobs that wait in a queue on Postgres; null when none do. */
export async function readPostgresLine(pool: pg.Pool, queue: string): Promise<QueueLine | null> {
  const waiting = `FROM job WHERE queue = $1 AND state = 'waiting' AND priority > 0`;
  const { rows } = await pool.query<QueueLine>({
    name: 'read-line',
    text: `SELECT first.priority AS first, last.priority AS last, line.count
      FROM (SELECT priority ${waiting} ORDER BY priority, seq LIMIT 1) AS first,
        (SELECT priority ${waiting} ORDER BY priority DESC, seq DESC LIMIT 1) AS last,
        (SELECT count(*)::int FROM (SELECT ${waiting} LIMIT ${countLimit}) AS counted) AS line`,
    values: [queue],
  });
  const [line] = rows;
  if (line === undefined) return null;
  return line.count < countLimit ? line : { ...line, count: Number.POSITIVE_INFINITY };
}
