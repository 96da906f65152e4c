import { mcpToolEffect } from '@loom/shared/mcp-catalog';
import type { McpServerConfig } from '@loom/shared/mcp-config';
import type { ObservedMcpTool } from '@loom/shared/mcp-pins';
import type { ToolDefinition } from '@loom/shared/tool';
import { argumentsSchema } from './arguments-schema.ts';
import type { McpServer } from './mcp-server.ts';
import { renderResult } from './render-result.ts';

/** Room for the server's own limits to act first, and to say what happened. */
const roomMs = 5_000;

interface McpToolParts {
  /** Under which models call it. */
  name: string;
  tool: ObservedMcpTool;
  config: McpServerConfig;
  server: McpServer;
  /** Why this version may not be used, or null. */
  refusal: string | null;
}

/** A server's tool as the product knows tools. */
export function mcpTool(parts: McpToolParts): ToolDefinition<Record<string, unknown>> {
  const { name, tool, config, server, refusal } = parts;
  const effect = mcpToolEffect(tool.annotations, config);
  return {
    name,
    description: tool.description,
    effect,
    timeout_ms: (config.connect_timeout_seconds + config.call_timeout_seconds) * 1_000 + roomMs,
    input: argumentsSchema(tool.input_schema),
    input_schema: tool.input_schema,
    once: effect === 'effectful',
    unavailable: () => refusal ?? server.problem(),
    async run(input, { signal, keep, progress }) {
      const { result, redact } = await server.call({
        tool: tool.name,
        hash: tool.hash,
        arguments: input,
        signal,
        onProgress: progress,
      });
      return renderResult(result, { source: name, redact, keep });
    },
  };
}
