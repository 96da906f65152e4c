import type { JsonValue } from '@loom/shared/json';

/**
 * Text of a stranger without what a reader would not see: control characters, directions, tags and
 * other invisible ones. Line breaks and tabs stay.
 */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '');
}

/** The same for every text in a JSON value, keys included. */
export function cleanJson<T extends JsonValue>(value: T, clean: (text: string) => string): T {
  if (typeof value === 'string') return clean(value) as T;
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, clean)) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [clean(key), cleanJson(inner, clean)]),
  ) as T;
}
