import { randomUUID } from 'node:crypto';
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

async function replaceFile(
  parent: ConfinedDirectory,
  name: string,
  content: string | Uint8Array,
  shown: string,
  signal: AbortSignal | undefined,
): Promise<{ created: boolean }> {
  const target = parent.pathOf(name);
  const existing = await statTarget(target, shown);
  const temporary = parent.pathOf(`.loom-${randomUUID()}.tmp`);
  const handle = await open(temporary, createFlags, 0o666);
  try {
    try {
      await handle.writeFile(content);
      if (existing) await handle.chmod(existing.mode & 0o777);
    } finally {
      await handle.close();
    }
    signal?.throwIfAborted();
    // Renaming replaces a name, so a link put there meanwhile is never written through.
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  return { created: existing === null };
}

/**
 * Puts the whole content at the path or changes nothing, creating parent
 * directories; an existing file keeps its permissions.
 */
export async function writeConfinedAtomic(
  workspace: string,
  path: string,
  content: string | Uint8Array,
  options: { max_bytes: number; signal?: AbortSignal },
): Promise<{ created: boolean; bytes: number }> {
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
      const { created } = await replaceFile(parent, name, content, shown, options.signal);
      return { created, bytes };
    } catch (error) {
      throw fileError(error, shown);
    }
  });
}
