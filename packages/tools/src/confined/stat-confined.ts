import type { Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { AppError } from '@loom/shared/app-error';
import { openConfinedDirectory, withParentDirectory } from './confined-directory.ts';
import { splitConfinedPath } from './confined-path.ts';
import { fileError, systemCode } from './file-error.ts';

type EntryKind = 'file' | 'directory' | 'symlink' | 'other';

export interface ConfinedStat {
  kind: EntryKind;
  bytes: number;
}

/** The kind and size of what `lstat` found. */
export function toConfinedStat(stats: Stats): ConfinedStat {
  const bytes = stats.isFile() ? stats.size : 0;
  if (stats.isFile()) return { kind: 'file', bytes };
  if (stats.isDirectory()) return { kind: 'directory', bytes };
  return { kind: stats.isSymbolicLink() ? 'symlink' : 'other', bytes };
}

/** What lies at a path of the workspace, or null when nothing does. */
export async function statConfined(workspace: string, path: string): Promise<ConfinedStat | null> {
  const components = splitConfinedPath(workspace, path);
  try {
    if (components.length === 0) {
      await (await openConfinedDirectory(workspace, [])).close();
      return { kind: 'directory', bytes: 0 };
    }
    return await withParentDirectory(workspace, components, {}, async (parent, name) =>
      toConfinedStat(await lstat(parent.pathOf(name))),
    );
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw fileError(error, path);
  }
}
