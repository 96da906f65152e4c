import { z } from 'zod';

/** A zod schema as it stands in an OpenAPI 3.1 document. */
export function toOpenApiSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
): Record<string, unknown> {
  const { $schema: _, $defs: __, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return withoutLocalRefs(json) as Record<string, unknown>;
}

/** The only recursive schema is "any JSON value", for which the empty schema says the same. */
function withoutLocalRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLocalRefs);
  if (value === null || typeof value !== 'object') return value;
  if ('$ref' in value) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutLocalRefs(inner)]),
  );
}
