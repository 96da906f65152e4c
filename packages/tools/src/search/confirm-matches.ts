import { AppError } from '@loom/shared/app-error';
import { readConfined } from '../confined/read-confined.ts';
import { maxReadBytes } from '../file-input.ts';
import type { SearchMatch } from './run-ripgrep.ts';

async function readLines(workspace: string, path: string): Promise<string[]> {
  try {
    const content = await readConfined(workspace, path, { max_bytes: maxReadBytes });
    return new TextDecoder().decode(content).split('\n');
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

/**
 * The matches that a confined read of the same file shows too. The search program
 * opens files by path, so a directory swapped for a link could lead it outside.
 */
export async function confirmMatches(
  workspace: string,
  matches: readonly SearchMatch[],
): Promise<SearchMatch[]> {
  const linesOf = new Map<string, string[]>();
  const confirmed: SearchMatch[] = [];
  for (const match of matches) {
    const lines = linesOf.get(match.path) ?? (await readLines(workspace, match.path));
    linesOf.set(match.path, lines);
    if (lines[match.line - 1] === match.text) confirmed.push(match);
  }
  return confirmed;
}
