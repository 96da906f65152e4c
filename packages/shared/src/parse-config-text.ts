import { z } from 'zod';

/** A value of an environment variable in the type its key wants; a sentence when it cannot be. */
export function parseConfigText(
  schema: z.core.$ZodType,
  text: string,
): { value: unknown } | { problem: string } {
  if (schema instanceof z.ZodNumber) {
    const value = Number(text);
    return Number.isFinite(value) ? { value } : { problem: 'must be a number' };
  }
  if (schema instanceof z.ZodBoolean) {
    if (text === 'true' || text === '1') return { value: true };
    if (text === 'false' || text === '0') return { value: false };
    return { problem: 'must be true or false' };
  }
  if (schema instanceof z.ZodArray) {
    const items = text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map((item) => parseConfigText(schema.element, item));
    const wrong = items.find((item) => 'problem' in item);
    return wrong ?? { value: items.map((item) => ('value' in item ? item.value : null)) };
  }
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) {
    return { problem: 'names a section, not a key of it' };
  }
  return { value: text };
}
