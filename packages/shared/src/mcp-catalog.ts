import type { JsonObject } from './json.ts';
import type { McpCredentials, McpServerConfig } from './mcp-config.ts';
import { type McpPin, mcpPinRefusal } from './mcp-pins.ts';
import type { ToolEffect, ToolInfo } from './tool.ts';

/** The part of the configuration that says which MCP servers there are, and for whom. */
export interface McpCatalog {
  servers: Record<string, McpServerConfig>;
  tenants: Record<string, { mcp?: Record<string, McpCredentials> | undefined }>;
}

/** Whose connection all tenants use that have no credentials of their own for a server. */
export const sharedMcpTenant = '*';

const maxNameLength = 64;

/** Whose connection to a server a tenant uses. */
export function mcpTenant(catalog: McpCatalog, tenant_id: string, server: string): string {
  return catalog.tenants[tenant_id]?.mcp?.[server] === undefined ? sharedMcpTenant : tenant_id;
}

/** The name under which a model calls a server's tool; null when none can be made of it. */
export function mcpToolName(server: string, tool: string): string | null {
  const name = `${server}__${tool}`;
  return /^[A-Za-z0-9_-]+$/.test(tool) && name.length <= maxNameLength ? name : null;
}

/** What a call of the tool may do: the server's own word counts only where the operator trusts it. */
export function mcpToolEffect(
  annotations: JsonObject,
  server: Pick<McpServerConfig, 'trust_annotations'>,
): ToolEffect {
  if (!server.trust_annotations) return 'effectful';
  if (annotations.readOnlyHint === true) return 'read';
  return annotations.idempotentHint === true ? 'idempotent' : 'effectful';
}

/** Whether the operator's configuration offers a tool at all. */
export function offersMcpTool(server: Pick<McpServerConfig, 'tools'>, tool: string): boolean {
  return server.tools === undefined || server.tools.includes(tool);
}

/** A pinned tool as it is listed; null when it is not offered. */
export function mcpToolInfo(pin: McpPin, server: McpServerConfig): ToolInfo | null {
  const name = mcpToolName(pin.server, pin.name);
  if (name === null || !pin.listed || !offersMcpTool(server, pin.name)) return null;
  const unavailable_reason = mcpPinRefusal(pin);
  return {
    name,
    description: pin.description,
    input_schema: pin.input_schema,
    effect: mcpToolEffect(pin.annotations, server),
    available: unavailable_reason === null,
    unavailable_reason,
  };
}
