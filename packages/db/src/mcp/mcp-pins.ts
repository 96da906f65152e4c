import type { McpPins, ObservedMcpTool } from '@loom/shared/mcp-pins';
import type { Database } from '../database.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { listMcpPins } from './list-mcp-pins.ts';

/**
 * Some servers add tools once they know whom they speak with. What is there this soon could as well
 * have been there at once.
 */
const firstSightSeconds = 10;

/** The pins of MCP tools in the table `mcp_tools`. */
export function createMcpPins(db: Database): McpPins {
  return {
    observe: (tenant, server, tools) =>
      inTransaction(db, (client) => observe(client, tenant, server, tools)),
    list: (tenants) => listMcpPins(db, tenants),
  };
}

async function observe(
  client: Transaction,
  tenant: string,
  server: string,
  tools: readonly ObservedMcpTool[],
): Promise<void> {
  // Of two workers that meet a server at once, one is first; the other compares with what it saw.
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `mcp_tools:${tenant}:${server}`,
  ]);
  const { rows } = await client.query<{ known: boolean }>(
    `SELECT EXISTS (SELECT FROM mcp_tools WHERE tenant_id = $1 AND server = $2
        AND first_seen_at < now() - make_interval(secs => $3)) AS known`,
    [tenant, server, firstSightSeconds],
  );
  const known = rows[0]?.known === true;
  await client.query(
    `INSERT INTO mcp_tools (tenant_id, server, name, description, input_schema, annotations, hash,
        approved_hash, approved_by)
      SELECT $1, $2, name, description, input_schema, annotations, hash,
        CASE WHEN $4 THEN NULL ELSE hash END, CASE WHEN $4 THEN NULL ELSE 'config' END
      FROM jsonb_to_recordset($3) AS seen (name text, description text, input_schema jsonb,
        annotations jsonb, hash text)
      ON CONFLICT (tenant_id, server, name) DO UPDATE SET
        description = excluded.description, input_schema = excluded.input_schema,
        annotations = excluded.annotations, hash = excluded.hash, last_seen_at = now(),
        changed_at = CASE WHEN mcp_tools.hash = excluded.hash THEN mcp_tools.changed_at ELSE now() END`,
    [tenant, server, JSON.stringify(tools), known],
  );
}
