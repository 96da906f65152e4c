import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { AppError } from '@loom/shared/app-error';
import {
  type ConfinedDirectory,
  symlinkRefusal,
  withParentDirectory,
} from './confined-directory.ts';
import { splitConfinedPath } from './confined-path.ts';
import { fileError, systemCode } from './file-error.ts';

// O_NONBLOCK: opening a FIFO for reading would otherwise wait for a writer.
const fileFlags =
  constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Refuses everything that is not a plain file. */
function requirePlainFile(stats: Stats, shown: string): void {
  if (stats.isDirectory()) {
    throw new AppError('tool_failed', `${shown} is a directory; use list_directory to see into it`);
  }
  if (!stats.isFile()) {
    throw new AppError(
      'forbidden',
      `${shown} is not a regular file (a pipe, socket or device), so it is not opened`,
    );
  }
}

/** Refuses a file that has other names: one may lie outside, and nothing can tell. */
function requireOneName(stats: Stats, shown: string): void {
  if (stats.nlink > 1) {
    throw new AppError(
      'forbidden',
      `${shown} is a hard link that may lead outside the workspace; work on a copy of it instead`,
    );
  }
}

interface OpenedFile {
  handle: FileHandle;
  stats: Stats;
}

/**
 * Opens a regular file of a directory for reading; the caller closes the handle. With `hard_links`
 * a file with several names is opened too: its content must then not be shown.
 */
export async function openPlainFile(
  parent: ConfinedDirectory,
  name: string,
  shown: string,
  options: { hard_links?: boolean } = {},
): Promise<OpenedFile> {
  const systemPath = parent.pathOf(name);
  // Only Linux descriptors make the flags race-free; elsewhere this check is the guard.
  if (process.platform !== 'linux') {
    const stats = await lstat(systemPath).catch(() => null);
    if (stats?.isSymbolicLink()) throw symlinkRefusal(shown);
  }
  const handle = await open(systemPath, fileFlags).catch((error) => {
    throw systemCode(error) === 'ELOOP' ? symlinkRefusal(shown) : fileError(error, shown);
  });
  try {
    const stats = await handle.stat();
    requirePlainFile(stats, shown);
    if (!options.hard_links) requireOneName(stats, shown);
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens a regular file of the workspace for reading, as `openPlainFile` does. */
export async function openConfinedFile(
  workspace: string,
  path: string,
  options: { hard_links?: boolean } = {},
): Promise<OpenedFile> {
  const components = splitConfinedPath(workspace, path);
  return withParentDirectory(workspace, components, {}, (parent, name) =>
    openPlainFile(parent, name, components.join('/'), options),
  );
}
