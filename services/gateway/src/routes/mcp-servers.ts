import { approveMcpTools } from '@loom/db/mcp/approve-mcp-tools';
import { listMcpPins } from '@loom/db/mcp/list-mcp-pins';
import { AppError } from '@loom/shared/app-error';
import { sharedMcpTenant } from '@loom/shared/mcp-catalog';
import { type McpPin, mcpPinStatus, mcpPinStatuses } from '@loom/shared/mcp-pins';
import { z } from 'zod';
import { isOperator, visibleTenant } from '../access.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { addRoute, type GatewayApp, notFound } from '../route.ts';

const pinSchema = z.object({
  /** Whose connection showed it; `*` is the one that tenants share. */
  tenant: z.string(),
  server: z.string(),
  name: z.string(),
  status: z.enum(mcpPinStatuses),
  description: z.string(),
  input_schema: z.record(z.string(), z.unknown()),
  annotations: z.record(z.string(), z.unknown()),
  hash: z.string(),
  approved_by: z.string().nullable(),
  listed: z.boolean(),
  first_seen_at: z.string(),
  last_seen_at: z.string(),
  changed_at: z.string(),
});

const approvalSchema = z.strictObject({
  /** All that wait when left out. */
  tools: z.array(z.string().min(1).max(64)).min(1).max(200).optional(),
  tenant: z.string().min(1).max(100).optional(),
  /** The versions that were looked at, by tool; any other is a conflict. */
  hashes: z.record(z.string(), z.string()).optional(),
});

function toItem({ approved_hash, ...pin }: McpPin): z.infer<typeof pinSchema> {
  return { ...pin, status: mcpPinStatus({ approved_hash, hash: pin.hash }) };
}

/** What MCP servers say of their tools, and the approval of what they say now. */
export function addMcpServerRoutes(app: GatewayApp, { db }: GatewayParts): void {
  const common = { tag: 'Admin', access: 'admin' } as const;
  const response = z.object({ items: z.array(pinSchema) });

  addRoute(
    app,
    {
      ...common,
      method: 'get',
      path: '/api/admin/mcp',
      summary: 'Tools of MCP servers, and which versions of them are approved',
      status: 200,
      response,
    },
    async (c) => {
      const tenant_id = visibleTenant(c.get('identity'));
      const tenants = tenant_id === null ? null : [tenant_id, sharedMcpTenant];
      return c.json({ items: (await listMcpPins(db, tenants)).map(toItem) });
    },
  );

  addRoute(
    app,
    {
      ...common,
      method: 'post',
      path: '/api/admin/mcp/{server}/approve',
      summary: 'Approve tools of an MCP server as it describes them now',
      body: approvalSchema,
      status: 200,
      response,
    },
    async (c, { params, body }) => {
      const identity = c.get('identity');
      const { tenant_id, key_id } = identity;
      const tenant = body.tenant ?? (isOperator(identity) ? sharedMcpTenant : tenant_id);
      if (tenant !== tenant_id && !isOperator(identity)) {
        throw new AppError('forbidden', 'Only admins of the default tenant approve for others.');
      }
      const { tools, hashes } = body;
      const approval = { tenant, server: params.server, tools, hashes };
      const pins = await approveMcpTools(db, { ...approval, actor: { tenant_id, key_id } });
      if (pins === null) throw notFound('MCP server or tool');
      return c.json({ items: pins.map(toItem) });
    },
  );
}
