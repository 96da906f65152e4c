import { AppError } from '@loom/shared/app-error';
import { type ConfinedDirectory, openConfinedDirectory } from '../confined/confined-directory.ts';
import { splitConfinedPath } from '../confined/confined-path.ts';

/** How many directories are visited at once. */
const concurrency = 4;

type Visit<T> = (parent: ConfinedDirectory, name: string) => Promise<T>;

function byDirectory(root: string, paths: Iterable<string>) {
  const groups = new Map<string, { above: string[]; files: { path: string; name: string }[] }>();
  for (const path of new Set(paths)) {
    const components = splitConfinedPath(root, path);
    const name = components.pop();
    if (name === undefined) continue;
    const key = components.join('/');
    const group = groups.get(key) ?? { above: components, files: [] };
    group.files.push({ path, name });
    groups.set(key, group);
  }
  return groups.values();
}

async function orNull<T>(deed: () => Promise<T>): Promise<T | null> {
  try {
    return await deed();
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/**
 * What `visit` says of each file, reached without following a link; null for what is not there or
 * refused. Each directory is opened once, so that many files cost little.
 */
export async function visitFiles<T>(
  root: string,
  paths: Iterable<string>,
  visit: Visit<T>,
): Promise<Map<string, T | null>> {
  const results = new Map<string, T | null>();
  const groups = byDirectory(root, paths);
  const work = async () => {
    for (const { above, files } of groups) {
      const parent = await orNull(() => openConfinedDirectory(root, above));
      if (parent === null) continue;
      try {
        for (const { path, name } of files) {
          results.set(path, await orNull(() => visit(parent, name)));
        }
      } finally {
        await parent.close();
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return results;
}
