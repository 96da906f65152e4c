import { z } from 'zod';
import { isStorableText } from './text.ts';

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue };

export type JsonObject = { [key: string]: JsonValue };

/** A JSON object from outside that the database can keep; size is bounded by the request limit. */
export const jsonObjectSchema = z
  .record(z.string(), z.json())
  .refine((value) => isStorableText(JSON.stringify(value).replaceAll('\\u0000', '\u0000')), {
    message: 'must not contain NUL characters or unpaired surrogates',
  });
