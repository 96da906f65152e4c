import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { AppError } from '@loom/shared/app-error';
import { symlinkRefusal, withParentDirectory } from './confined-directory.ts';
import { splitConfinedPath } from './confined-path.ts';
import { fileError, systemCode } from './file-error.ts';

// O_NONBLOCK: opening a FIFO for reading would otherwise wait for a writer.
const fileFlags =
  constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Refuses everything that is not a plain file of this workspace alone. */
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
  // A hard link may be another name of a file outside, and nothing can tell.
  if (stats.nlink > 1) {
    throw new AppError(
      'forbidden',
      `${shown} is a hard link that may lead outside the workspace; work on a copy of it instead`,
    );
  }
}

/** Opens a regular file for reading; the caller closes the handle. */
export async function openConfinedFile(
  workspace: string,
  path: string,
): Promise<{ handle: FileHandle; stats: Stats }> {
  const components = splitConfinedPath(workspace, path);
  const shown = components.join('/');
  return withParentDirectory(workspace, components, {}, async (parent, name) => {
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
      return { handle, stats };
    } catch (error) {
      await handle.close();
      throw error;
    }
  });
}
