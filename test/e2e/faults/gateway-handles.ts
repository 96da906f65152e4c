import { readdir, readFile } from 'node:fs/promises';
import type { Cluster } from '@loom/testing/cluster';
import type { LoomProcess } from '@loom/testing/processes';
import { Redis } from 'ioredis';

/** What a deployment holds open for its readers. */
export interface GatewayHandles {
  /** Files and sockets of the gateway's process. */
  files: number;
  /** Event streams, as the gateway counts them. */
  streams: number;
  /** What keeps its event loop alive: timers, sockets. */
  resources: number;
  database_connections: number;
  /** Zero where there is no Redis. */
  redis_clients: number;
  redis_subscriptions: number;
}

/** Counts what is open now. */
export async function countHandles(cluster: Cluster, gateway: LoomProcess) {
  const [files, metrics, database, redis] = await Promise.all([
    readdir(`/proc/${gateway.pid}/fd`),
    readMetrics(gateway.url),
    cluster.database.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database()`,
    ),
    countRedis(cluster.redis?.url ?? null),
  ]);
  const handles: GatewayHandles = {
    files: files.length,
    streams: metrics('loom_sse_clients'),
    resources: metrics('nodejs_active_resources_total'),
    database_connections: database[0]?.count ?? 0,
    ...redis,
  };
  return handles;
}

/** What there is more of than before, in words. */
export function handlesBeyond(before: GatewayHandles, now: GatewayHandles): string[] {
  return (Object.keys(before) as (keyof GatewayHandles)[])
    .filter((name) => now[name] > before[name])
    .map((name) => `${now[name]} ${name}, ${before[name]} before`);
}

/** The most memory that a process has had resident, in megabytes. */
export async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

async function readMetrics(url: string): Promise<(name: string) => number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

async function countRedis(
  url: string | null,
): Promise<Pick<GatewayHandles, 'redis_clients' | 'redis_subscriptions'>> {
  if (url === null) return { redis_clients: 0, redis_subscriptions: 0 };
  const redis = new Redis(url);
  const clients = ((await redis.client('LIST')) as string).trim().split('\n');
  redis.disconnect();
  const subscriptions = clients.map((line) => Number(/ sub=(\d+)/.exec(line)?.[1]));
  return {
    redis_clients: clients.length,
    redis_subscriptions: subscriptions.reduce((sum, count) => sum + count, 0),
  };
}
