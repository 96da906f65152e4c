import type { McpPin } from '@loom/shared/mcp-pins';
import type { Database } from '../database.ts';
import { type McpPinRow, mcpPinColumns, toMcpPin } from './mcp-pin-row.ts';

/** What is known of MCP tools; `tenants` null: of every tenant. Servers and tools in order of name. */
export async function listMcpPins(
  db: Database,
  tenants: readonly string[] | null,
): Promise<McpPin[]> {
  const { rows } = await db.pool.query<McpPinRow>({
    name: 'list-mcp-pins',
    text: `SELECT ${mcpPinColumns} FROM mcp_tools
      WHERE $1::text[] IS NULL OR tenant_id = ANY($1)
      ORDER BY tenant_id, server, name`,
    values: [tenants],
  });
  return rows.map(toMcpPin);
}
