import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AppError } from '@loom/shared/app-error';
import type { ToolContext } from '@loom/shared/tool';
import { splitConfinedPath } from './confined-path.ts';
import { requireWorkspace } from './workspace.ts';

/** Where something may be read: a directory that confines it, and its path below that. */
export interface ReadablePlace {
  root: string;
  /** Relative to `root`, with forward slashes; `.` for the root itself. */
  path: string;
  /** How results name something below `root`, given its path relative to it. */
  show(path: string): string;
}

function liesIn(root: string, path: string): boolean {
  const way = relative(root, resolve(path));
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}

/** The place that a path means to a call that reads: in the workspace, or in a read root. */
export function readablePlace(
  context: Pick<ToolContext, 'workspace' | 'read_roots'>,
  path: string,
): ReadablePlace {
  const inWorkspace = !isAbsolute(path) || (context.workspace && liesIn(context.workspace, path));
  if (!inWorkspace) {
    const [root] = context.read_roots
      .filter((candidate) => liesIn(candidate, path))
      .sort((a, b) => b.length - a.length);
    if (root !== undefined) {
      const inside = splitConfinedPath(root, path).join('/') || '.';
      return { root, path: inside, show: (below) => join(root, below) };
    }
    if (context.read_roots.length > 0) {
      throw new AppError(
        'forbidden',
        `the path ${path} lies outside; use a path relative to the workspace root, or an absolute path inside ${context.read_roots.join(' or ')}`,
      );
    }
  }
  const root = requireWorkspace(context.workspace);
  const inside = splitConfinedPath(root, path).join('/') || '.';
  return { root, path: inside, show: (below) => below };
}
