import type { JsonObject, JsonValue } from '@loom/shared/json';
import { z } from 'zod';

function valueSchema(schema: JsonValue | undefined): z.ZodType {
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return z.unknown();
  const { enum: choices, type } = schema;
  if (
    Array.isArray(choices) &&
    choices.length > 0 &&
    choices.every((one) => typeof one === 'string')
  ) {
    return z.enum(choices);
  }
  switch (type) {
    case 'string':
      return z.string();
    case 'number':
    case 'integer':
      return z.number();
    case 'boolean':
      return z.boolean();
    case 'array':
      return z.array(z.unknown());
    case 'object':
      return z.looseObject({});
    default:
      return z.unknown();
  }
}

/**
 * What can be checked of a call's arguments before the server sees them: the fields that must be
 * there, and plain types. Patterns and nested rules are left to the server: its regular expressions
 * are a stranger's and are not run here.
 */
export function argumentsSchema(inputSchema: JsonObject): z.ZodType<Record<string, unknown>> {
  const { properties, required } = inputSchema;
  const must = new Set(Array.isArray(required) ? required : []);
  const fields = properties !== null && typeof properties === 'object' ? properties : {};
  const shape = Object.entries(fields)
    .filter(([name]) => name !== '__proto__')
    .map(([name, schema]): [string, z.ZodType] => {
      const value = valueSchema(schema);
      return [name, must.has(name) ? value : value.optional()];
    });
  return z.looseObject(Object.fromEntries(shape));
}
