import { z } from 'zod';

interface SchemaNode {
  type?: string;
  enum?: unknown[];
  items?: SchemaNode;
  properties?: Record<string, SchemaNode>;
  required?: string[];
}

function describeNode(node: SchemaNode): string {
  if (node.enum) return node.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (node.type === 'array') return `[${describeNode(node.items ?? {})}, …]`;
  if (node.type !== 'object') return node.type ?? 'any value';
  if (!node.properties) return 'object';
  const fields = Object.entries(node.properties).map(([name, field]) => {
    const optional = node.required?.includes(name) ? '' : '?';
    return `"${name}"${optional}: ${describeNode(field)}`;
  });
  return `{${fields.join(', ')}}`;
}

/** A schema as a model reads it best: `{"path": string, "line_start"?: integer}`. */
export function describeShape(schema: z.ZodType): string {
  return describeNode(z.toJSONSchema(schema, { io: 'input' }) as SchemaNode);
}
