import { realpath } from 'node:fs/promises';

/** The read roots that still are the directories they were granted as; one that became a link leads elsewhere. */
export async function presentReadRoots(read_roots: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    read_roots.map(async (path) => (await realpath(path).catch(() => null)) === path && path),
  );
  return found.filter((path) => path !== false);
}
