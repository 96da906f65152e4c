import type { JsonObject } from './json.ts';

/** A tool as an MCP server describes it, cleaned and bounded; the hash is of what it really said. */
export interface ObservedMcpTool {
  name: string;
  description: string;
  input_schema: JsonObject;
  annotations: JsonObject;
  /** Over name, description, input schema and annotations. */
  hash: string;
}

/** What is known of a tool of an MCP server: how it was seen last, and which version was approved. */
export interface McpPin extends ObservedMcpTool {
  /** Whose connection showed it; `*` is the one that tenants share. */
  tenant: string;
  server: string;
  approved_hash: string | null;
  /** `config` when it was there at first sight of the server, else who approved it. */
  approved_by: string | null;
  first_seen_at: string;
  last_seen_at: string;
  changed_at: string;
  /** Whether the server still had it when its tools were last listed. */
  listed: boolean;
}

export const mcpPinStatuses = ['approved', 'pending', 'changed'] as const;
export type McpPinStatus = (typeof mcpPinStatuses)[number];

/** Remembers what MCP servers said of their tools, so that no later word takes effect unseen. */
export interface McpPins {
  /**
   * Keeps what a server lists now. At first sight of the server that is approved, by it having been
   * configured; later, what is new or different waits for an operator.
   */
  observe(tenant: string, server: string, tools: readonly ObservedMcpTool[]): Promise<void>;
  /** Everything known of the tools of these tenants. */
  list(tenants: readonly string[]): Promise<McpPin[]>;
}

/** Whether a version of a tool may be used. */
export function mcpPinStatus(pin: Pick<McpPin, 'approved_hash' | 'hash'>): McpPinStatus {
  if (pin.approved_hash === null) return 'pending';
  return pin.approved_hash === pin.hash ? 'approved' : 'changed';
}

/** A sentence why a version of a tool may not be used and what would change that, or null. */
export function mcpPinRefusal(
  pin: Pick<McpPin, 'approved_hash' | 'hash' | 'server' | 'name'>,
): string | null {
  const status = mcpPinStatus(pin);
  if (status === 'approved') return null;
  const what = status === 'changed' ? 'its description changed' : 'it is new on a known server';
  return `${what}; an operator must approve it: loom mcp approve ${pin.server} ${pin.name}`;
}
