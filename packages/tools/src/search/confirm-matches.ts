import { readPlainFile } from '../confined/read-confined.ts';
import { maxReadBytes } from '../file-input.ts';
import type { SearchMatch } from './find-matches.ts';
import { visitFiles } from './visit-files.ts';

/**
 * The matches that a confined read of the same file shows too. The search program
 * opens files by path, so a directory swapped for a link could lead it outside.
 */
export async function confirmMatches(
  root: string,
  matches: readonly SearchMatch[],
): Promise<SearchMatch[]> {
  const paths = matches.map(({ path }) => path);
  const linesOf = await visitFiles(root, paths, async (parent, name) => {
    const content = await readPlainFile(parent, name, name, { max_bytes: maxReadBytes });
    return new TextDecoder().decode(content).split('\n');
  });
  return matches.filter(({ path, line, text }) => linesOf.get(path)?.[line - 1] === text);
}
