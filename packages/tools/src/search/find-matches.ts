import { maxReadBytes } from '../file-input.ts';
import { comparePaths } from './compare-paths.ts';
import { runRipgrep, type SearchScope } from './run-ripgrep.ts';

/** A line that matches, as the search program gives it. */
export interface SearchMatch {
  path: string;
  line: number;
  text: string;
}

const maxMatchesPerFile = 100;

const matchArguments = [
  '--no-heading',
  '--with-filename',
  '--line-number',
  `--max-count=${maxMatchesPerFile}`,
  `--max-filesize=${maxReadBytes}`,
];

function parseMatch(line: string): SearchMatch | null {
  const found = /^(?:\.\/)*(?<path>[^\0]+)\0(?<line>\d+):(?<text>.*)$/s.exec(line)?.groups;
  if (!found?.path || !found.line) return null;
  return { path: found.path, line: Number(found.line), text: found.text ?? '' };
}

/** The lines that match, by path and line, and whether these are all. They are still to be confirmed. */
export async function findMatches(
  scope: SearchScope,
  search: { pattern: string; glob: string | null },
): Promise<{ matches: SearchMatch[]; complete: boolean }> {
  const run = (order: string) =>
    runRipgrep(scope, {
      glob: search.glob,
      arguments: [...matchArguments, order, `--regexp=${search.pattern}`],
    });
  const quick = await run('--threads=2');
  // Sorting makes ripgrep use one thread, but only then do the same files come first each time.
  const { output, complete } = quick.complete ? quick : await run('--sort=path');
  const lines = output.split('\n');
  // The last piece is empty, or a line that was cut off.
  lines.pop();
  const matches = lines.map(parseMatch).filter((match) => match !== null);
  matches.sort((a, b) => comparePaths(a.path, b.path) || a.line - b.line);
  return { matches, complete };
}
