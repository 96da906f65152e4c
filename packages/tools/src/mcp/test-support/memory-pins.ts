import { type McpPin, type McpPins, mcpPinStatus } from '@loom/shared/mcp-pins';

/** Pins in memory that follow the same rules as those in the database. */
export interface MemoryPins extends McpPins {
  rows: Map<string, McpPin>;
  /** As an operator does: the versions that are shown now. */
  approve(server: string): void;
}

/** Pins of the running test's own. */
export function memoryPins(): MemoryPins {
  const rows = new Map<string, McpPin>();
  const at = '2026-11-16T12:00:00.000Z';
  return {
    rows,
    approve(server) {
      for (const pin of rows.values()) {
        if (pin.server !== server || mcpPinStatus(pin) === 'approved') continue;
        pin.approved_hash = pin.hash;
        pin.approved_by = 'test';
      }
    },
    async observe(tenant, server, tools) {
      const mine = [...rows.values()].filter(
        (pin) => pin.tenant === tenant && pin.server === server,
      );
      const isFirst = mine.length === 0;
      for (const pin of mine) pin.listed = false;
      for (const tool of tools) {
        const key = `${tenant}/${server}/${tool.name}`;
        const known = rows.get(key);
        rows.set(key, {
          ...{ tenant, server, first_seen_at: at, last_seen_at: at, changed_at: at },
          ...tool,
          approved_hash: known?.approved_hash ?? (isFirst ? tool.hash : null),
          approved_by: known?.approved_by ?? (isFirst ? 'config' : null),
          listed: true,
        });
      }
    },
    list: async (tenants) => [...rows.values()].filter((pin) => tenants.includes(pin.tenant)),
  };
}
