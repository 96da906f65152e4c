import type { Logger } from '@loom/shared/logger';
import type { ObservedMcpTool } from '@loom/shared/mcp-pins';
import type { Client, RequestOptions } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { mcpLimits } from './limits.ts';
import { readTool } from './read-tool.ts';
import type { Redact } from './redact-secrets.ts';

// Entries are read one by one, so that a tool that makes no sense does not hide the others.
const toolPage = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().optional(),
});

/** The tools of a connected server by name, page after page until a bound; what is left out is logged. */
export async function discoverTools(
  client: Client,
  options: { server: string; redact: Redact; logger: Logger; request: RequestOptions },
): Promise<Map<string, ObservedMcpTool>> {
  const { server, redact, logger, request } = options;
  const found = new Map<string, ObservedMcpTool>();
  const leaveOut = (reason: string) => logger.warn({ reason: redact(reason) }, 'MCP tool left out');
  let cursor: string | undefined;
  for (let page = 0; page < mcpLimits.pages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request(
      { method: 'tools/list', params },
      toolPage,
      request,
    );
    for (const listed of tools) {
      const read = readTool(server, listed, redact);
      if ('refused' in read) leaveOut(read.refused);
      else if (found.has(read.tool.name)) leaveOut(`${read.tool.name}: it is listed twice`);
      else found.set(read.tool.name, read.tool);
      if (found.size === mcpLimits.tools) {
        leaveOut(`all after the first ${mcpLimits.tools}`);
        return found;
      }
    }
    if (nextCursor === undefined || nextCursor === cursor) return found;
    cursor = nextCursor;
  }
  leaveOut(`all after ${mcpLimits.pages} pages`);
  return found;
}
