import { listDeliveries } from '@loom/db/deliveries/list-deliveries';
import { getOrCreateSecret, rotateSecret } from '@loom/db/deliveries/webhook-secret';
import { appendAudit } from '@loom/db/read/audit';
import { z } from 'zod';
import type { GatewayParts } from '../gateway-parts.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';

const deliverySchema = z.object({
  id: z.string(),
  task_id: z.string(),
  url: z.string(),
  event: z.enum(['task.completed', 'task.failed', 'task.cancelled']),
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.array(
    z.object({
      number: z.number().int(),
      at: z.string(),
      status: z.number().int().nullable(),
      error: z.string().nullable(),
      duration_ms: z.number().int().nullable(),
      next_at: z.string().nullable(),
    }),
  ),
  created_at: z.string(),
  ended_at: z.string().nullable(),
});

const secretSchema = z.object({ secret: z.string(), created_at: z.string() });

/** What a task's callback_url was told, and what the tenant's calls are signed with. */
export function addWebhookRoutes(app: GatewayApp, { db }: GatewayParts): void {
  const common = { tag: 'Webhooks' } as const;

  addRoute(
    app,
    {
      ...common,
      access: 'user',
      method: 'get',
      path: '/api/tasks/{id}/deliveries',
      summary: 'What the callback_url of a task was told, with every attempt',
      status: 200,
      response: z.object({ items: z.array(deliverySchema) }),
    },
    async (c, { params }) => {
      const { tenant_id } = c.get('identity');
      const items = await listDeliveries(db, { tenant_id, task_id: params.id });
      if (items === null) throw notFound('task');
      return c.json({ items });
    },
  );

  addRoute(
    app,
    {
      ...common,
      access: 'admin',
      method: 'get',
      path: '/api/webhooks/secret',
      summary: 'The secret that webhooks of this tenant are signed with',
      status: 200,
      response: secretSchema,
    },
    async (c) => {
      c.header('cache-control', 'no-store');
      return c.json(await getOrCreateSecret(db, c.get('identity').tenant_id));
    },
  );

  addRoute(
    app,
    {
      ...common,
      access: 'admin',
      method: 'post',
      path: '/api/webhooks/secret/rotate',
      summary: 'Replace the secret; every call from now on is signed with the new one',
      status: 200,
      response: secretSchema,
    },
    async (c) => {
      const { tenant_id, key_id } = c.get('identity');
      const secret = await rotateSecret(db, tenant_id);
      await appendAudit(db.pool, {
        tenant_id,
        actor: key_id,
        action: 'webhook_secret.rotate',
        target: tenant_id,
        detail: {},
      });
      c.header('cache-control', 'no-store');
      return c.json(secret);
    },
  );
}
