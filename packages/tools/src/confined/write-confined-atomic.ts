import { constants, type Stats } from 'node:fs';
import { lstat, open, rename, unlink } from 'node:fs/promises';
import { AppError } from '@loom/shared/app-error';
import {
  type ConfinedDirectory,
  symlinkRefusal,
  withParentDirectory,
} from './confined-directory.ts';
import { splitConfinedPath } from './confined-path.ts';
import { fileError, systemCode } from './file-error.ts';
import { temporaryName } from './temporary-name.ts';

const createFlags =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

async function statTarget(systemPath: string, shown: string): Promise<Stats | null> {
  const stats = await lstat(systemPath).catch((error) => {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (stats?.isSymbolicLink()) throw symlinkRefusal(shown);
  if (stats?.isDirectory()) {
    throw new AppError('tool_failed', `${shown} is a directory; choose the path of a file`);
  }
  if (stats && !stats.isFile()) {
    throw new AppError('forbidden', `${shown} is not a regular file, so it is not replaced`);
  }
  return stats;
}

interface WriteOptions {
  max_bytes: number;
  signal?: AbortSignal;
  /** Runs when the write may begin and nothing has changed; when it throws, nothing will. */
  beforeChange?: () => Promise<void>;
}

async function replaceFile(
  parent: ConfinedDirectory,
  name: string,
  content: string | Uint8Array,
  shown: string,
  options: WriteOptions,
): Promise<number> {
  const target = parent.pathOf(name);
  const existing = await statTarget(target, shown);
  // It may take long, and a process that ends in it is to leave no temporary file behind.
  await options.beforeChange?.();
  options.signal?.throwIfAborted();
  const temporary = parent.pathOf(temporaryName());
  const handle = await open(temporary, createFlags, 0o666);
  try {
    let mode: number;
    try {
      await handle.writeFile(content);
      if (existing) await handle.chmod(existing.mode & 0o777);
      mode = (await handle.stat()).mode & 0o777;
    } finally {
      await handle.close();
    }
    options.signal?.throwIfAborted();
    // Renaming replaces a name, so a link put there meanwhile is never written through.
    await rename(temporary, target);
    return mode;
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

/**
 * Puts the whole content at the path or changes nothing, creating parent
 * directories; an existing file keeps its permissions.
 */
export async function writeConfinedAtomic(
  workspace: string,
  path: string,
  content: string | Uint8Array,
  options: WriteOptions,
): Promise<{ bytes: number; mode: number }> {
  const components = splitConfinedPath(workspace, path);
  const shown = components.join('/');
  const bytes = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
  if (bytes > options.max_bytes) {
    throw new AppError(
      'payload_too_large',
      `${shown} would have ${bytes} bytes, more than the ${options.max_bytes} that can be written; split it into smaller files`,
    );
  }
  options.signal?.throwIfAborted();
  return withParentDirectory(workspace, components, { create: true }, async (parent, name) => {
    try {
      return { bytes, mode: await replaceFile(parent, name, content, shown, options) };
    } catch (error) {
      throw fileError(error, shown);
    }
  });
}
