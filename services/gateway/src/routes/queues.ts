import { appendAudit } from '@loom/db/read/audit';
import { jobStates } from '@loom/shared/queue-admin';
import { type QueueName, queueNames } from '@loom/shared/queues';
import { z } from 'zod';
import type { GatewayParts } from '../gateway-parts.ts';
import { cursorSchema, limitSchema, pageSchema } from '../list-query.ts';
import { decodeOffset, encodeOffset } from '../offset-cursor.ts';
import { retryDeadQueue } from '../retry-dead-queue.ts';
import { retryDeadUnit } from '../retry-dead-unit.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';

const queueSchema = z.object({
  name: z.enum(queueNames),
  paused: z.boolean(),
  counts: z.record(z.enum(jobStates), z.number().int()),
});

const jobSchema = z.object({
  id: z.string(),
  queue: z.enum(queueNames),
  state: z.string(),
  unit_id: z.string(),
  epoch: z.number().int(),
  failed_reason: z.string().nullable(),
  created_at: z.string(),
  processed_at: z.string().nullable(),
  finished_at: z.string().nullable(),
});

const retriedSchema = z.object({ unit_id: z.string() });

/** Looking at the queues and setting them right. */
export function addQueueRoutes(app: GatewayApp, parts: GatewayParts): void {
  const { db, queueAdmin } = parts;
  const tag = 'Admin';

  addRoute(
    app,
    {
      tag,
      access: 'admin',
      method: 'get',
      path: '/api/admin/queues',
      summary: 'Queues with their counts by state',
      status: 200,
      response: z.object({ items: z.array(queueSchema) }),
    },
    async (c) => c.json({ items: await queueAdmin.queues() }),
  );

  addRoute(
    app,
    {
      tag,
      access: 'operator',
      method: 'get',
      path: '/api/admin/queues/{queue}/jobs',
      summary: 'Jobs of a queue in one state',
      query: z.object({
        state: z.enum(jobStates).default('failed'),
        limit: limitSchema,
        cursor: cursorSchema,
      }),
      status: 200,
      response: pageSchema(jobSchema),
    },
    async (c, { params, query: { state, limit, cursor } }) => {
      const queue = requireQueue(params.queue);
      const offset = decodeOffset(cursor);
      const jobs = await queueAdmin.jobs(queue, state, offset, limit + 1);
      const next_cursor = jobs.length > limit ? encodeOffset(offset + limit) : null;
      return c.json({ items: jobs.slice(0, limit), next_cursor });
    },
  );

  addRoute(
    app,
    {
      tag,
      access: 'admin',
      method: 'post',
      path: '/api/admin/queues/{queue}/jobs/{job_id}/retry',
      summary: 'Retry the dead unit behind a failed job',
      status: 202,
      response: retriedSchema,
    },
    async (c, { params }) => {
      const queue = requireQueue(params.queue);
      const job = await queueAdmin.job(queue, params.job_id);
      if (job === null) throw notFound('job');
      const via = `job ${params.job_id}`;
      return c.json(await retryDeadUnit(parts, c.get('identity'), job.unit_id, via), 202);
    },
  );

  addRoute(
    app,
    {
      tag,
      access: 'operator',
      method: 'post',
      path: '/api/admin/queues/{queue}/retry-failed',
      summary: 'Retry every dead unit of a queue, at most 200 at a time',
      status: 202,
      response: z.object({ retried: z.number().int(), skipped: z.number().int() }),
    },
    async (c, { params }) => {
      const queue = requireQueue(params.queue);
      const via = `retry-failed ${queue}`;
      return c.json(await retryDeadQueue(parts, c.get('identity'), queue, via), 202);
    },
  );

  for (const action of ['pause', 'resume'] as const) {
    addRoute(
      app,
      {
        tag,
        access: 'operator',
        method: 'post',
        path: `/api/admin/queues/{queue}/${action}`,
        summary: action === 'pause' ? 'Start no more jobs of a queue' : 'Start jobs again',
        status: 200,
        response: z.object({ name: z.enum(queueNames), paused: z.boolean() }),
      },
      async (c, { params }) => {
        const name = requireQueue(params.queue);
        const { tenant_id, key_id } = c.get('identity');
        await queueAdmin[action](name);
        await appendAudit(db.pool, {
          tenant_id,
          actor: key_id,
          action: `queue.${action}`,
          target: name,
          detail: {},
        });
        return c.json({ name, paused: action === 'pause' });
      },
    );
  }
}

function requireQueue(name: string): QueueName {
  const queue = queueNames.find((known) => known === name);
  if (queue === undefined) throw notFound('queue');
  return queue;
}
