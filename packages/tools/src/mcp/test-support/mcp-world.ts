import type { Logger } from '@loom/shared/logger';
import type { McpCatalog } from '@loom/shared/mcp-catalog';
import { mcpServerSchema } from '@loom/shared/mcp-config';
import type { ToolDefinition, ToolSource } from '@loom/shared/tool';
import { onTestFinished } from 'vitest';
import type { z } from 'zod';
import { createToolRegistry } from '../../registry.ts';
import { probeSandbox } from '../../sandbox/probe-sandbox.ts';
import type { ShellOptions } from '../../sandbox/shell-options.ts';
import { contextIn } from '../../test-workspace.ts';
import { openMcpTools } from '../open-mcp-tools.ts';
import { type MemoryPins, memoryPins } from './memory-pins.ts';

interface WorldOptions {
  servers: Record<string, z.input<typeof mcpServerSchema>>;
  tenants?: McpCatalog['tenants'];
  secrets?: Record<string, string>;
  shell?: Partial<ShellOptions>;
  pins?: MemoryPins;
  allow_private?: boolean;
}

/** MCP tools as a runner has them, with what was logged. */
export interface McpWorld {
  source: ToolSource;
  pins: MemoryPins;
  logged: string[];
  tool(name: string, tenant?: string): Promise<ToolDefinition>;
  names(tenant?: string): Promise<string[]>;
  run(
    name: string,
    args: Record<string, string | number | boolean | null>,
    context?: ReturnType<typeof contextIn>,
  ): Promise<Awaited<ReturnType<ReturnType<typeof createToolRegistry>['run']>>>;
}

function recordingLogger(lines: string[]): Logger {
  const record = (...said: unknown[]) => lines.push(JSON.stringify(said));
  const logger = { debug: record, info: record, warn: record, child: () => logger };
  return logger as unknown as Logger;
}

/** Opens MCP tools for the running test; everything ends with it. */
export async function openMcpWorld(options: WorldOptions): Promise<McpWorld> {
  const logged: string[] = [];
  const pins = options.pins ?? memoryPins();
  const source = openMcpTools({
    servers: Object.fromEntries(
      Object.entries(options.servers).map(([name, server]) => [
        name,
        mcpServerSchema.parse(server),
      ]),
    ),
    tenants: options.tenants ?? {},
    secret: (name) => options.secrets?.[name],
    shell: {
      allow_unsandboxed: false,
      network: false,
      hidden_paths: [],
      sandbox: await probeSandbox(),
      ...options.shell,
    },
    allow_private: options.allow_private ?? true,
    pins,
    logger: recordingLogger(logged),
  });
  onTestFinished(() => source.close());
  const tool = async (name: string, tenant = 'default') => {
    const tools = await source.list(tenant);
    const found = tools.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no ${name} among ${tools.map((one) => one.name)}`);
    return found;
  };
  return {
    source,
    pins,
    logged,
    tool,
    names: async (tenant = 'default') => (await source.list(tenant)).map((one) => one.name),
    run: async (name, args, context = contextIn(null)) => {
      const registry = createToolRegistry([await tool(name)], { max_output_chars: 40_000 });
      return registry.run(name, args, context);
    },
  };
}
