import type { QueueAdmin } from '@loom/shared/queue-admin';
import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { GatewayEnv } from './gateway-deps.ts';

export interface Metrics {
  measure: MiddlewareHandler<GatewayEnv>;
  render(): Promise<string>;
  content_type: string;
}

/** Prometheus metrics of one gateway; queue depths are read when somebody asks. */
export function createMetrics(deps: {
  queueAdmin: QueueAdmin;
  streamCount: () => number;
  /** What workers in the same process count, as Prometheus reads it. */
  workerMetrics?: (() => Promise<string>) | undefined;
}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'loom_http_request_duration_seconds',
    help: 'Time until the response began.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  new Gauge({
    name: 'loom_sse_clients',
    help: 'Open event streams.',
    registers: [registry],
    collect() {
      this.set(deps.streamCount());
    },
  });
  const jobs = new Gauge({
    name: 'loom_queue_jobs',
    help: 'Jobs by queue and state.',
    labelNames: ['queue', 'state'],
    registers: [registry],
  });

  return {
    async measure(c, next) {
      const stop = duration.startTimer();
      await next();
      const route = matchedRoutes(c).findLast(({ method }) => method !== 'ALL');
      stop({
        method: c.req.method,
        route: route?.path ?? 'unmatched',
        status: String(c.res.status),
      });
    },
    async render() {
      // Metrics of the process are worth having even when the queues cannot be reached.
      const queues = await deps.queueAdmin.queues().catch(() => []);
      jobs.reset();
      for (const queue of queues) {
        for (const [state, count] of Object.entries(queue.counts)) {
          jobs.set({ queue: queue.name, state }, count);
        }
      }
      const work = (await deps.workerMetrics?.()) ?? '';
      return `${await registry.metrics()}${work}`;
    },
    content_type: registry.contentType,
  };
}
