import type { JsonObject } from '@loom/shared/json';

type Edited = { ok: true; arguments: JsonObject } | { ok: false; message: string };

/** Arguments as a person wrote them: a JSON object, or what is wrong with it in a sentence. */
export function readEditedArguments(text: string): Edited {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    return { ok: false, message: `This is not JSON: ${why}` };
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { ok: false, message: 'Write a JSON object, such as {"path": "notes.md"}.' };
  return { ok: true, arguments: value as JsonObject };
}
