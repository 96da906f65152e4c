import { type McpCatalog, mcpTenant, mcpToolInfo, sharedMcpTenant } from '@loom/shared/mcp-catalog';
import type { ToolInfo } from '@loom/shared/tool';
import type { Database } from '../database.ts';
import { listMcpPins } from './list-mcp-pins.ts';

/** The MCP tools that a tenant is offered, as workers last saw them; no server is asked. */
export async function listMcpTools(
  db: Database,
  params: { tenant_id: string; catalog: McpCatalog },
): Promise<ToolInfo[]> {
  const { tenant_id, catalog } = params;
  if (Object.keys(catalog.servers).length === 0) return [];
  const pins = await listMcpPins(db, [tenant_id, sharedMcpTenant]);
  return pins.flatMap((pin) => {
    const server = catalog.servers[pin.server];
    if (server === undefined || mcpTenant(catalog, tenant_id, pin.server) !== pin.tenant) return [];
    return mcpToolInfo(pin, server) ?? [];
  });
}
