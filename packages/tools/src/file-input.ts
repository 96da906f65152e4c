import { z } from 'zod';

/** The size of the largest file that is read whole. */
export const maxReadBytes = 10 * 1024 * 1024;

/** Whether a string holds no NUL, which neither paths nor program arguments can carry. */
export function hasNoNul(text: string): boolean {
  return !text.includes('\u0000');
}

/** A path argument. */
export const pathInput = z
  .string()
  .min(1, 'must not be empty')
  .max(4_096)
  .refine(hasNoNul, 'must not contain NUL characters')
  .describe('Path relative to the workspace root');
