import { z } from 'zod';

/** The size of the largest file that is read whole. */
export const maxReadBytes = 10 * 1024 * 1024;

/** Whether a string holds no NUL, which neither paths nor program arguments can carry. */
export function hasNoNul(text: string): boolean {
  return !text.includes('\u0000');
}

/** A path argument of a tool that changes something. */
export const pathInput = z
  .string()
  .min(1, 'must not be empty')
  .max(4_096, 'must be at most 4096 characters')
  .refine(hasNoNul, 'must not contain NUL characters')
  .describe('Path relative to the workspace root');

/** A path argument of a tool that only reads. */
export const readPathInput = pathInput.describe(
  'Path relative to the workspace root, or absolute inside another directory that was opened for reading',
);
