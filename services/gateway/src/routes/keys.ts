import { createApiKey, listApiKeys, newApiKey, revokeApiKey } from '@loom/db/read/api-keys';
import { appendAudit } from '@loom/db/read/audit';
import { createKeySchema, scopeSchema } from '@loom/shared/api';
import { AppError } from '@loom/shared/app-error';
import { z } from 'zod';
import { isOperator, visibleTenant } from '../access.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { listQuerySchema, pageSchema } from '../list-query.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';

const keySchema = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(scopeSchema),
  tenant: z.string(),
});

/** API keys: shown once, stored as a hash, revoked for good. */
export function addKeyRoutes(app: GatewayApp, { db, identifier }: GatewayParts): void {
  const common = { tag: 'Admin', access: 'admin' } as const;

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/admin/keys',
      summary: 'API keys, newest first, revoked ones included',
      query: listQuerySchema,
      status: 200,
      response: pageSchema(
        keySchema.extend({ created_at: z.string(), revoked_at: z.string().nullable() }),
      ),
    },
    async (c, { query }) => {
      const tenant_id = visibleTenant(c.get('identity'));
      return c.json(await listApiKeys(db, { tenant_id, ...query }));
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'post',
      path: '/api/admin/keys',
      summary: 'Make an API key; the answer is the only place that ever shows it',
      body: createKeySchema,
      status: 201,
      response: keySchema.extend({ key: z.string() }),
    },
    async (c, { body }) => {
      const identity = c.get('identity');
      const tenant = body.tenant ?? identity.tenant_id;
      if (tenant !== identity.tenant_id && !isOperator(identity)) {
        throw new AppError('forbidden', 'Only admins of the default tenant make keys for others.');
      }
      const key = newApiKey();
      const name = body.name;
      const scopes = [...new Set(body.scopes)];
      const { id } = await createApiKey(db, { key, name, scopes, tenant });
      await appendAudit(db.pool, {
        tenant_id: tenant,
        actor: identity.key_id,
        action: 'key.create',
        target: id,
        detail: { name, scopes },
      });
      c.header('cache-control', 'no-store');
      return c.json({ id, key, name, scopes, tenant }, 201);
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'delete',
      path: '/api/admin/keys/{id}',
      summary: 'Revoke an API key; every gateway refuses it within seconds',
      status: 204,
    },
    async (c, { params }) => {
      const identity = c.get('identity');
      const tenant_id = visibleTenant(identity);
      if (!(await revokeApiKey(db, { tenant_id, key_id: params.id }))) throw notFound('key');
      identifier.forget();
      await appendAudit(db.pool, {
        tenant_id: identity.tenant_id,
        actor: identity.key_id,
        action: 'key.revoke',
        target: params.id,
        detail: {},
      });
      return c.body(null, 204);
    },
  );
}
