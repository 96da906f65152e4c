import type { ToolSpec } from '@loom/shared/chat';
import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';

// Making a schema takes about half a millisecond, and every turn asks for all of them.
const schemas = new WeakMap<z.ZodType, Record<string, unknown>>();

/** What a model is told about a tool: its input as JSON Schema, defaults left optional. */
export function toToolSpec(
  tool: Pick<ToolDefinition, 'name' | 'description' | 'input' | 'input_schema'>,
): ToolSpec {
  const { name, description, input } = tool;
  let input_schema = tool.input_schema ?? schemas.get(input);
  if (input_schema === undefined) {
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
    input_schema = schema;
    schemas.set(input, input_schema);
  }
  return { name, description, input_schema };
}
