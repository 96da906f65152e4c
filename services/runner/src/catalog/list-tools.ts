import { toolCategory } from '@loom/engine/tool-exposure/known-tools';
import { cutText, firstLine } from '@loom/shared/text';
import type { ToolDefinition, ToolInfo } from '@loom/shared/tool';
import { z } from 'zod';
import { searchCatalog } from './search-catalog.ts';

const maxNames = 100;
const maxSchemas = 10;
const maxSchemaChars = 12_000;
const maxDescription = 160;
const maxCategories = 50;

const input = z
  .strictObject({
    query: z.string().trim().min(1).max(200).optional().describe('Words for what you want to do'),
    category: z.string().trim().min(1).max(100).optional(),
    detail: z
      .enum(['names', 'schema'])
      .default('names')
      .describe('schema: with the arguments; needs query or category'),
  })
  .superRefine(({ query, category, detail }, context) => {
    if (detail !== 'schema' || query !== undefined || category !== undefined) return;
    const message = 'is too much for all tools at once: add "query" or "category"';
    context.addIssue({ code: 'custom', path: ['detail'], message });
  });

/** Shows a model which tools there are, also those whose schemas it was not sent. */
export function listToolsTool(
  list: () => readonly ToolInfo[],
): ToolDefinition<z.infer<typeof input>> {
  return {
    name: 'list_tools',
    description:
      'List all tools there are, more than are shown here, with a query or a category if you like. detail "schema" shows their arguments. Run one with run_tool.',
    effect: 'read',
    timeout_ms: 5_000,
    input,
    unavailable: () => null,
    run: async ({ query, category, detail }) => {
      const tools = list();
      const found = searchCatalog(tools, { query, category });
      if (found.length === 0) return { text: nothingFound(tools) };
      return { text: detail === 'schema' ? schemasOf(found) : namesOf(found) };
    },
  };
}

function nothingFound(tools: readonly ToolInfo[]): string {
  const all = [...new Set(tools.map(({ name }) => toolCategory(name)))].sort();
  return `No tool matches. Categories: ${all.slice(0, maxCategories).join(', ')}. Call list_tools without arguments to see every name.`;
}

function namesOf(found: readonly ToolInfo[]): string {
  const lines = found.slice(0, maxNames).map((tool) => {
    const about = firstLine(tool.description, maxDescription);
    return `${tool.name} [${toolCategory(tool.name)}]: ${about}${missing(tool)}`;
  });
  return withRest(lines, found.length);
}

/** Whole schemas only: half of one would be called wrongly. */
function schemasOf(found: readonly ToolInfo[]): string {
  const shown: string[] = [];
  let left = maxSchemaChars;
  for (const tool of found.slice(0, maxSchemas)) {
    const text = schemaOf(tool, shown.length === 0);
    if (text.length > left) break;
    left -= text.length;
    shown.push(text);
  }
  return withRest(shown, found.length);
}

function schemaOf(tool: ToolInfo, isFirst: boolean): string {
  const head = `${tool.name} [${toolCategory(tool.name)}, ${tool.effect}]: ${tool.description}${missing(tool)}`;
  const text = `${cutText(head, 2_000)}\n${JSON.stringify(tool.input_schema)}`;
  // The best match is shown in any case.
  return isFirst ? cutText(text, maxSchemaChars) : text;
}

function missing({ available, unavailable_reason }: ToolInfo): string {
  return available ? '' : ` (cannot be used here: ${unavailable_reason ?? 'no reason is known'})`;
}

function withRest(shown: readonly string[], found: number): string {
  const rest = found - shown.length;
  if (rest === 0) return shown.join('\n');
  return `${shown.join('\n')}\n${rest} more match; give a narrower "query" or a "category" to see them.`;
}
