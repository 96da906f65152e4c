import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises';
import { AppError } from '@loom/shared/app-error';
import { symlinkRefusal, withParentDirectory } from './confined-directory.ts';
import { splitConfinedPath } from './confined-path.ts';
import { fileError, systemCode } from './file-error.ts';

const reserveFlags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

async function kindOf(systemPath: string, shown: string): Promise<'file' | 'directory'> {
  const stats = await lstat(systemPath);
  if (stats.isSymbolicLink()) throw symlinkRefusal(shown);
  if (stats.isDirectory()) return 'directory';
  if (stats.isFile()) return 'file';
  throw new AppError('forbidden', `${shown} is not a regular file, so it is not moved`);
}

/** Takes a free name, so that the rename that follows replaces nobody's file. */
async function reserve(
  systemPath: string,
  kind: 'file' | 'directory',
  shown: string,
): Promise<() => Promise<void>> {
  try {
    if (kind === 'directory') {
      await mkdir(systemPath);
      return () => rmdir(systemPath);
    }
    await (await open(systemPath, reserveFlags, 0o600)).close();
    return () => unlink(systemPath);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw fileError(error, shown);
    throw new AppError(
      'conflict',
      `${shown} exists already; choose another destination, or delete it first`,
    );
  }
}

/**
 * Gives a regular file or a directory another name inside the workspace, creating parent
 * directories; refuses a destination that exists. Names are moved, never what a link leads to.
 */
export async function moveConfined(
  workspace: string,
  source: string,
  destination: string,
  options: {
    signal?: AbortSignal;
    /** Runs when all is ready and nothing has changed; when it throws, nothing will. */
    beforeChange?: (kind: 'file' | 'directory') => Promise<void>;
  } = {},
): Promise<void> {
  const from = splitConfinedPath(workspace, source);
  const to = splitConfinedPath(workspace, destination);
  const shownFrom = from.join('/');
  const shownTo = to.join('/');
  await withParentDirectory(workspace, from, {}, async (fromParent, fromName) => {
    const sourcePath = fromParent.pathOf(fromName);
    const kind = await kindOf(sourcePath, shownFrom).catch((error) => {
      throw fileError(error, shownFrom);
    });
    await withParentDirectory(workspace, to, { create: true }, async (toParent, toName) => {
      const free = await reserve(toParent.pathOf(toName), kind, shownTo);
      try {
        await options.beforeChange?.(kind);
        options.signal?.throwIfAborted();
        await rename(sourcePath, toParent.pathOf(toName));
      } catch (error) {
        await free().catch(() => {});
        throw fileError(error, shownFrom);
      }
    });
  });
}
