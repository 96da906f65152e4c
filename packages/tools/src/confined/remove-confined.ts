import { lstat, rmdir, unlink } from 'node:fs/promises';
import { AppError } from '@loom/shared/app-error';
import { symlinkRefusal, withParentDirectory } from './confined-directory.ts';
import { splitConfinedPath } from './confined-path.ts';
import { fileError, systemCode } from './file-error.ts';

function explainNotRemoved(error: unknown, shown: string): Error {
  if (systemCode(error) !== 'ENOTEMPTY') return fileError(error, shown);
  return new AppError(
    'tool_failed',
    `${shown} is a directory that is not empty; delete what is inside it first`,
  );
}

/**
 * Removes a regular file or an empty directory and says which it was; anything else is refused.
 * `beforeChange` runs right before a file goes; when it throws, the file stays. Only the name is removed, so a link put there meanwhile leads nowhere.
 */
export async function removeConfined(
  workspace: string,
  path: string,
  options: { signal?: AbortSignal; beforeChange?: () => Promise<void> } = {},
): Promise<'file' | 'directory'> {
  const components = splitConfinedPath(workspace, path);
  const shown = components.join('/');
  return withParentDirectory(workspace, components, {}, async (parent, name) => {
    const systemPath = parent.pathOf(name);
    try {
      const stats = await lstat(systemPath);
      if (stats.isSymbolicLink()) throw symlinkRefusal(shown);
      if (stats.isDirectory()) {
        await rmdir(systemPath);
        return 'directory';
      }
      if (!stats.isFile()) {
        throw new AppError('forbidden', `${shown} is not a regular file, so it is not deleted`);
      }
      await options.beforeChange?.();
      options.signal?.throwIfAborted();
      await unlink(systemPath);
      return 'file';
    } catch (error) {
      throw explainNotRemoved(error, shown);
    }
  });
}
