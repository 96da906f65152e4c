import { comparePaths } from './compare-paths.ts';
import { runRipgrep, type SearchScope } from './run-ripgrep.ts';

/** The files whose path matches a glob, and whether these are all. They are still to be confirmed. */
export async function findPaths(
  scope: SearchScope,
  glob: string,
): Promise<{ paths: string[]; complete: boolean }> {
  const { output, complete } = await runRipgrep(scope, {
    glob,
    arguments: ['--files', '--threads=2'],
  });
  const paths = output.split('\0').map((path) => path.replace(/^(?:\.\/)+/, ''));
  // The last piece is empty, or a path that was cut off.
  paths.pop();
  return { paths: paths.sort(comparePaths), complete };
}
