import { listAudit } from '@loom/db/read/audit';
import { listDeadLetters } from '@loom/db/read/dead-letters';
import { listLiveWorkers } from '@loom/db/read/workers';
import { deadLetterSchema, workerSchema } from '@loom/shared/api';
import { queueNameSchema } from '@loom/shared/queues';
import { z } from 'zod';
import { visibleTenant } from '../access.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { listQuerySchema, pageSchema } from '../list-query.ts';
import { retryDeadUnit } from '../retry-dead-unit.ts';
import { addRoute, type GatewayApp } from '../route.ts';

const auditSchema = z.object({
  id: z.string(),
  at: z.string(),
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  detail: z.record(z.string(), z.json()),
});

/** Workers, dead letters and who did what. */
export function addAdminRoutes(app: GatewayApp, parts: GatewayParts): void {
  const { db } = parts;
  const common = { tag: 'Admin', access: 'admin' } as const;

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/admin/workers',
      summary: 'Live workers of every role',
      status: 200,
      response: z.object({ items: z.array(workerSchema) }),
    },
    async (c) => c.json({ items: await listLiveWorkers(db) }),
  );

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/admin/dead-letters',
      summary: 'Units that were given up, the latest first',
      query: listQuerySchema.extend({ queue: queueNameSchema.optional() }),
      status: 200,
      response: pageSchema(deadLetterSchema),
    },
    async (c, { query: { queue = null, ...page } }) => {
      const tenant_id = visibleTenant(c.get('identity'));
      return c.json(await listDeadLetters(db, { tenant_id, queue, ...page }));
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'post',
      path: '/api/admin/dead-letters/{id}/retry',
      summary: 'Bring a dead letter back as a new attempt',
      status: 202,
      response: z.object({ unit_id: z.string() }),
    },
    async (c, { params }) =>
      c.json(await retryDeadUnit(parts, c.get('identity'), params.id, 'dead letter'), 202),
  );

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/admin/audit',
      summary: 'Who did what, newest first',
      query: listQuerySchema,
      status: 200,
      response: pageSchema(auditSchema),
    },
    async (c, { query }) => {
      const tenant_id = visibleTenant(c.get('identity'));
      return c.json(await listAudit(db, { tenant_id, ...query }));
    },
  );
}
