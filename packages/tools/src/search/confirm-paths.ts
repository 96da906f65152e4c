import { lstat } from 'node:fs/promises';
import { visitFiles } from './visit-files.ts';

/** The paths at which a confined look finds a regular file too. */
export async function confirmPaths(root: string, paths: readonly string[]): Promise<string[]> {
  const areFiles = await visitFiles(root, paths, async (parent, name) => {
    const stats = await lstat(parent.pathOf(name)).catch(() => null);
    return stats?.isFile() ?? false;
  });
  return paths.filter((path) => areFiles.get(path));
}
