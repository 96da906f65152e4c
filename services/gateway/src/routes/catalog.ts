import { listMcpTools } from '@loom/db/mcp/list-mcp-tools';
import { scopeSchema } from '@loom/shared/api';
import { modelRoles } from '@loom/shared/chat';
import { toolEffects } from '@loom/shared/tool';
import { z } from 'zod';
import type { GatewayParts } from '../gateway-parts.ts';
import { addRoute, type GatewayApp } from '../route.ts';

const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  input_schema: z.record(z.string(), z.unknown()),
  effect: z.enum(toolEffects),
  available: z.boolean(),
  unavailable_reason: z.string().nullable(),
});

const modelSchema = z.object({
  name: z.string(),
  provider: z.string(),
  model: z.string(),
  roles: z.array(z.enum(modelRoles)),
  tier: z.number().int(),
  context_tokens: z.number().int(),
  max_output_tokens: z.number().int(),
  is_demo: z.boolean(),
});

const meSchema = z.object({
  tenant: z.string(),
  key_id: z.string(),
  key_name: z.string(),
  scopes: z.array(scopeSchema),
  model: z.object({ name: z.string(), is_demo: z.boolean() }).nullable(),
});

/** What there is to work with, and for whom. */
export function addCatalogRoutes(
  app: GatewayApp,
  { db, tools, models, config }: GatewayParts,
): void {
  const common = { tag: 'Catalog', access: 'user', method: 'get', status: 200 } as const;

  addRoute(
    app,
    {
      ...common,
      path: '/api/tools',
      summary: 'Tools, and whether they can be used here',
      response: z.object({ items: z.array(toolSchema) }),
    },
    async (c) => {
      const { tenant_id } = c.get('identity');
      const catalog = config.mcp ?? { servers: {}, tenants: {} };
      return c.json({ items: [...tools, ...(await listMcpTools(db, { tenant_id, catalog }))] });
    },
  );

  addRoute(
    app,
    {
      ...common,
      path: '/api/models',
      summary: 'Configured models',
      response: z.object({ items: z.array(modelSchema) }),
    },
    (c) => c.json({ items: models }),
  );

  addRoute(
    app,
    {
      ...common,
      path: '/api/processes',
      summary: 'Installed processes',
      response: z.object({ items: z.array(z.unknown()) }),
    },
    (c) => c.json({ items: [] }),
  );

  addRoute(
    app,
    {
      ...common,
      path: '/api/me',
      summary: 'Who is asking, and which model would answer in a conversation',
      response: meSchema,
    },
    (c) => {
      const { tenant_id, key_id, key_name, scopes } = c.get('identity');
      const cowork = models.find(({ roles }) => roles.includes('cowork'));
      const model = cowork === undefined ? null : { name: cowork.name, is_demo: cowork.is_demo };
      return c.json({ tenant: tenant_id, key_id, key_name, scopes, model });
    },
  );
}
