import type { JsonObject, JsonValue } from '@loom/shared/json';
import { mcpToolName } from '@loom/shared/mcp-catalog';
import type { ObservedMcpTool } from '@loom/shared/mcp-pins';
import { cutText } from '@loom/shared/text';
import { z } from 'zod';
import { cleanJson, cleanText } from './clean-text.ts';
import { mcpLimits } from './limits.ts';
import type { Redact } from './redact-secrets.ts';
import { canonicalJson, toolHash } from './tool-hash.ts';

// Titles and icons are not even read: a tool is known by the name under which it is called.
const listedTool = z.object({
  name: z.string(),
  description: z.string().default(''),
  inputSchema: z.custom<JsonObject>(
    (value) =>
      typeof value === 'object' && value !== null && 'type' in value && value.type === 'object',
  ),
  annotations: z
    .custom<JsonObject>((value) => typeof value === 'object' && value !== null)
    .default({}),
});

function isDeep(value: JsonValue, left: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return left === 0 || Object.values(value).some((inner) => isDeep(inner, left - 1));
}

/** One entry of a server's list, cleaned and bounded, or why it cannot be offered. */
export function readTool(
  server: string,
  listed: unknown,
  redact: Redact,
): { tool: ObservedMcpTool } | { refused: string } {
  const parsed = listedTool.safeParse(listed);
  if (!parsed.success) return { refused: 'a tool without a name or an object as its input' };
  const { name, description, inputSchema, annotations } = parsed.data;
  const shown = JSON.stringify(cutText(cleanText(name), 80));
  if (mcpToolName(server, name) === null) {
    return {
      refused: `${shown}: its name is too long or has other characters than A-Z a-z 0-9 _ -`,
    };
  }
  const both = [inputSchema, annotations];
  if (isDeep(both, mcpLimits.schema_depth + 1))
    return { refused: `${shown}: its schema is too deep` };
  if (canonicalJson(both).length > mcpLimits.schema_bytes) {
    return { refused: `${shown}: its schema is longer than ${mcpLimits.schema_bytes} bytes` };
  }
  const clean = (text: string) => redact(cleanText(text));
  return {
    tool: {
      name,
      description: cutText(clean(description), mcpLimits.description_chars),
      input_schema: cleanJson(inputSchema, clean),
      annotations: cleanJson(annotations, clean),
      hash: toolHash({ name, description, input_schema: inputSchema, annotations }),
    },
  };
}
