import { AppError } from '@loom/shared/app-error';
import { type McpPin, mcpPinStatus } from '@loom/shared/mcp-pins';
import type { Database } from '../database.ts';
import { appendAudit } from '../read/audit.ts';
import { inTransaction } from '../transaction.ts';
import { type McpPinRow, mcpPinColumns, toMcpPin } from './mcp-pin-row.ts';

interface Approval {
  /** Whose connection the tools belong to. */
  tenant: string;
  server: string;
  /** All that wait when left out. */
  tools?: readonly string[] | undefined;
  /** The versions that were looked at, by tool: any other is refused. */
  hashes?: Readonly<Record<string, string>> | undefined;
  actor: { tenant_id: string; key_id: string };
}

/**
 * Approves the versions of tools that a server shows now, with an audit row; the pins of all that
 * were asked for. Null when one of them is not known.
 */
export async function approveMcpTools(db: Database, approval: Approval): Promise<McpPin[] | null> {
  const { tenant, server, actor } = approval;
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<McpPinRow>(
      `WITH locked AS (
          SELECT * FROM mcp_tools WHERE tenant_id = $1 AND server = $2 ORDER BY name FOR UPDATE)
        SELECT ${mcpPinColumns} FROM locked ORDER BY name`,
      [tenant, server],
    );
    const pins = rows.map(toMcpPin);
    const asked = approval.tools ?? waiting(pins);
    const chosen = pins.filter(({ name }) => asked.includes(name));
    if (pins.length === 0 || chosen.length < new Set(asked).size) return null;
    refuseOtherVersions(chosen, approval.hashes ?? {});
    const names = waiting(chosen);
    if (names.length > 0) {
      await client.query(
        `UPDATE mcp_tools SET approved_hash = hash, approved_by = $4
          WHERE tenant_id = $1 AND server = $2 AND name = ANY($3)`,
        [tenant, server, names, actor.key_id],
      );
      await appendAudit(client, {
        tenant_id: actor.tenant_id,
        actor: actor.key_id,
        action: 'mcp.approve',
        target: server,
        detail: { tenant, tools: names },
      });
    }
    return chosen.map((pin) =>
      names.includes(pin.name)
        ? { ...pin, approved_hash: pin.hash, approved_by: actor.key_id }
        : pin,
    );
  });
}

function waiting(pins: readonly McpPin[]): string[] {
  return pins.filter((pin) => mcpPinStatus(pin) !== 'approved').map(({ name }) => name);
}

function refuseOtherVersions(pins: readonly McpPin[], hashes: Readonly<Record<string, string>>) {
  const other = pins.find(({ name, hash }) => (hashes[name] ?? hash) !== hash);
  if (other === undefined) return;
  throw new AppError(
    'conflict',
    `${other.server} has changed ${other.name} since you looked at it. Look again, then approve.`,
  );
}
