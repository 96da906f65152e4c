import type { ToolSpec } from '@loom/shared/chat';
import type { ToolDefinition } from '@loom/shared/tool';
import { z } from 'zod';

/** What a model is told about a tool: its input as JSON Schema, defaults left optional. */
export function toToolSpec(tool: Pick<ToolDefinition, 'name' | 'description' | 'input'>): ToolSpec {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: 'input' });
  return { name: tool.name, description: tool.description, input_schema: schema };
}
