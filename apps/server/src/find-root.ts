import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's directory, found upwards from this file, bundled or not. */
export function findRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'prisma', 'migrations'))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error('the project directory was not found');
    directory = parent;
  }
  return directory;
}
