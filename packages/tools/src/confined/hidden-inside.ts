import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { dataRefusal } from './data-directory.ts';
import { fileError } from './file-error.ts';

/** The hidden paths that lie in the workspace, relative to it. */
export async function hiddenInside(
  workspace: string,
  hiddenPaths: readonly string[],
): Promise<string[]> {
  const shown = `the workspace ${workspace}`;
  const real = await realpath(workspace).catch((error) => {
    throw fileError(error, shown);
  });
  const ways = hiddenPaths.map((path) => relative(real, path));
  if (ways.includes('')) throw dataRefusal(shown);
  return ways.filter((way) => !isAbsolute(way) && way.split(sep)[0] !== '..');
}
