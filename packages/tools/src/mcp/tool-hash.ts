import { createHash } from 'node:crypto';
import type { JsonValue } from '@loom/shared/json';

/** JSON in which equal values have equal text, whatever the order of their keys. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${fields.join(',')}}`;
}

/** The version of a tool: whatever a model or the effect class could be misled by changes it. */
export function toolHash(tool: {
  name: string;
  description: string;
  input_schema: JsonValue;
  annotations: JsonValue;
}): string {
  const { name, description, input_schema, annotations } = tool;
  return createHash('sha256')
    .update(canonicalJson([name, description, input_schema, annotations]))
    .digest('hex');
}
