import type { Logger } from '@loom/shared/logger';
import {
  type McpCatalog,
  mcpTenant,
  mcpToolName,
  offersMcpTool,
  sharedMcpTenant,
} from '@loom/shared/mcp-catalog';
import type { McpCredentials } from '@loom/shared/mcp-config';
import {
  type McpPin,
  type McpPins,
  mcpPinRefusal,
  type ObservedMcpTool,
} from '@loom/shared/mcp-pins';
import type { ToolDefinition, ToolSource } from '@loom/shared/tool';
import type { ShellOptions } from '../sandbox/shell-options.ts';
import { createMcpServer, type McpServer } from './mcp-server.ts';
import { mcpTool } from './mcp-tool.ts';
import { createPinCache } from './pin-cache.ts';

interface McpToolsOptions extends McpCatalog {
  /** The value of an environment variable. */
  secret(name: string): string | undefined;
  shell: ShellOptions;
  /** Lets servers lie in private networks. */
  allow_private: boolean;
  pins: McpPins;
  logger: Logger;
}

/** The tools of all configured MCP servers, each connected when somebody first asks for its tools. */
export function openMcpTools(options: McpToolsOptions): ToolSource {
  const { pins, logger } = options;
  const servers = new Map<string, McpServer>();
  const cache = createPinCache(pins);

  const serverOf = (tenant: string, name: string): McpServer => {
    const key = `${tenant}/${name}`;
    const open = servers.get(key) ?? openServer(tenant, name);
    servers.set(key, open);
    return open;
  };

  const openServer = (tenant: string, name: string): McpServer => {
    const { secret, shell, allow_private } = options;
    const config = options.servers[name];
    if (config === undefined) throw new Error(`there is no MCP server ${name}`);
    const own = options.tenants[tenant]?.mcp?.[name];
    return createMcpServer({
      name,
      access: {
        config,
        credentials: withOwn(config, own),
        ...{ secret, shell, allow_private },
        logger: logger.child({ mcp_server: name, mcp_tenant: tenant }),
      },
      onTools: async (tools) => {
        await pins.observe(tenant, name, tools);
        cache.forget();
      },
    });
  };

  const toolsOf = async (tenant_id: string, name: string): Promise<ToolDefinition[]> => {
    const config = options.servers[name];
    if (config === undefined) return [];
    const tenant = mcpTenant(options, tenant_id, name);
    const server = serverOf(tenant, name);
    const listed = await server.tools();
    const known = (await cache.list([tenant_id, sharedMcpTenant])).filter(
      (pin) => pin.tenant === tenant && pin.server === name,
    );
    // A server that was never reached from here is shown as others last saw it.
    const shown = listed === null ? known.filter((pin) => pin.listed) : [...listed.values()];
    return shown.flatMap((tool) => {
      const fullName = mcpToolName(name, tool.name);
      if (fullName === null || !offersMcpTool(config, tool.name)) return [];
      const refusal = mcpPinRefusal(pinOf(tool, name, known));
      return mcpTool({ name: fullName, tool, config, server, refusal }) as ToolDefinition;
    });
  };

  return {
    async list(tenant_id) {
      const names = Object.keys(options.servers);
      return (await Promise.all(names.map((name) => toolsOf(tenant_id, name)))).flat();
    },
    async close() {
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}

function withOwn(shared: McpCredentials, own: McpCredentials | undefined): McpCredentials {
  return {
    env: { ...shared.env, ...own?.env },
    headers_env: { ...shared.headers_env, ...own?.headers_env },
  };
}

/** The version that this process sees, with what was approved of the tool. */
function pinOf(tool: ObservedMcpTool, server: string, known: readonly McpPin[]) {
  const approved_hash = known.find(({ name }) => name === tool.name)?.approved_hash ?? null;
  return { server, name: tool.name, hash: tool.hash, approved_hash };
}
