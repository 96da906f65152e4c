import type { McpPin, McpPins } from '@loom/shared/mcp-pins';

/** How long an approval may go unnoticed. */
const maxAgeMs = 1_000;
/** Tenants that ask within that time. */
const maxEntries = 1_000;

/** Pins as they were a moment ago: many units ask, the database answers once. */
export function createPinCache(pins: Pick<McpPins, 'list'>) {
  const entries = new Map<string, { at: number; pins: Promise<McpPin[]> }>();
  return {
    list(tenants: readonly string[]): Promise<McpPin[]> {
      const key = tenants.join(' ');
      const now = Date.now();
      const entry = entries.get(key);
      if (entry !== undefined && now - entry.at < maxAgeMs) return entry.pins;
      if (entries.size >= maxEntries) entries.clear();
      const asked = pins.list(tenants);
      entries.set(key, { at: now, pins: asked });
      // A failure is told to those who asked, not to those who ask next.
      asked.catch(() => entries.delete(key));
      return asked;
    },
    forget: () => entries.clear(),
  };
}
