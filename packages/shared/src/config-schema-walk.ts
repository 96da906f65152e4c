import { z } from 'zod';

/** The schema below defaults and optionality. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional
  ) {
    return unwrap(schema.def.innerType);
  }
  return schema;
}

/** The schema at a path of keys, without its default; null where the schema knows no such key. */
export function schemaAt(
  root: z.core.$ZodType,
  path: readonly PropertyKey[],
): z.core.$ZodType | null {
  let schema = unwrap(root);
  for (const key of path) {
    if (schema instanceof z.ZodRecord) schema = unwrap(schema.valueType);
    else if (schema instanceof z.ZodArray) schema = unwrap(schema.element);
    else if (schema instanceof z.ZodObject) {
      const inner = Object.hasOwn(schema.shape, key) ? schema.shape[String(key)] : undefined;
      if (inner === undefined) return null;
      schema = unwrap(inner);
    } else return null;
  }
  return schema;
}

/** The keys that may stand at a path; empty for values and for tables of free names. */
export function knownKeys(root: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const schema = schemaAt(root, path);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Where else in the tree a key of exactly this name stands, as a dotted path. */
export function findKey(root: z.core.$ZodType, key: string, at: string[] = []): string | null {
  for (const name of knownKeys(root, at)) {
    const path = [...at, name];
    const isTable = schemaAt(root, path) instanceof z.ZodObject;
    if (name === key && !isTable) return path.join('.');
    const found = isTable ? findKey(root, key, path) : null;
    if (found !== null) return found;
  }
  return null;
}
