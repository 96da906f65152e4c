import type { McpPin } from '@loom/shared/mcp-pins';
import { toIso } from '../read/row-values.ts';

type TimeColumn = 'first_seen_at' | 'last_seen_at' | 'changed_at';
export type McpPinRow = Omit<McpPin, TimeColumn> & Record<TimeColumn, Date>;

/** The columns of a pin. What a server no longer has was not seen when its others last were. */
export const mcpPinColumns = `tenant_id AS tenant, server, name, description, input_schema,
  annotations, hash, approved_hash, approved_by, first_seen_at, last_seen_at, changed_at,
  last_seen_at = max(last_seen_at) OVER (PARTITION BY tenant_id, server) AS listed`;

/** A row as the rest of the product knows it. */
export function toMcpPin(row: McpPinRow): McpPin {
  return {
    ...row,
    first_seen_at: toIso(row.first_seen_at),
    last_seen_at: toIso(row.last_seen_at),
    changed_at: toIso(row.changed_at),
  };
}
