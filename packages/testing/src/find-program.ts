import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { testEnv } from './env.ts';

/** The full path of a program on the PATH, or null. */
export function findProgram(name: string): string | null {
  for (const directory of testEnv().path.split(delimiter)) {
    const candidate = join(directory, name);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not in this directory.
    }
  }
  return null;
}
