import { z } from 'zod';
import { isStorableText } from './text.ts';

/** How long a message may be, in bytes of UTF-8. */
export const maxMessageBytes = 5 * 1_024 * 1_024;

const tooLong = `must have at most ${maxMessageBytes} bytes of UTF-8 (5 MiB)`;

/** What a user may say at once: any text that the database gives back byte for byte. */
export const messageTextSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(maxMessageBytes, { error: tooLong, abort: true })
  .refine(fits, tooLong)
  .refine(isStorableText, 'must not contain NUL characters or unpaired surrogates');

function fits(text: string): boolean {
  // No character of a string takes more than three bytes, so that most need no counting.
  if (text.length * 3 <= maxMessageBytes) return true;
  return new TextEncoder().encode(text).byteLength <= maxMessageBytes;
}
