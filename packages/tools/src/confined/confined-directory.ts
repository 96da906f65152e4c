import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@loom/shared/app-error';
import { dataRefusal, isDataDirectory } from './data-directory.ts';
import { fileError, systemCode } from './file-error.ts';

/** A directory that was reached without following a single symbolic link below the workspace. */
export interface ConfinedDirectory {
  /** Where the system finds the directory itself; only valid until `close`. */
  path: string;
  /** Where the system finds an entry of it; only valid until `close`. */
  pathOf(name: string): string;
  close(): Promise<void>;
}

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** The refusal of a symbolic link, the same wherever one is met. */
export function symlinkRefusal(path: string): AppError {
  return new AppError(
    'forbidden',
    `${path} is a symbolic link, and links are not followed; use the path of the real file inside the workspace`,
  );
}

async function explainNoDirectory(error: unknown, systemPath: string, shown: string) {
  const code = systemCode(error);
  if (code === 'ENOTDIR' || code === 'ELOOP') {
    const stats = await lstat(systemPath).catch(() => null);
    if (stats?.isSymbolicLink()) return symlinkRefusal(shown);
    return new AppError('not_found', `${shown} is not a directory`);
  }
  return fileError(error, shown);
}

function onLinux(handle: FileHandle): ConfinedDirectory {
  // The kernel resolves /proc/self/fd/<n> to the open directory itself, so a
  // directory that is swapped for a link after it was opened changes nothing.
  const path = `/proc/self/fd/${handle.fd}`;
  return { path, pathOf: (name) => `${path}/${name}`, close: () => handle.close() };
}

async function elsewhere(systemPath: string, shown: string): Promise<ConfinedDirectory> {
  // Without /proc there is no openat in Node: each component is checked with
  // lstat. That refuses links, but does not hold against a racing process.
  const stats = await lstat(systemPath);
  if (stats.isSymbolicLink()) throw symlinkRefusal(shown);
  if (!stats.isDirectory()) throw new AppError('not_found', `${shown} is not a directory`);
  return { path: systemPath, pathOf: (name) => join(systemPath, name), close: async () => {} };
}

async function openAny(systemPath: string, shown: string): Promise<ConfinedDirectory> {
  try {
    if (process.platform !== 'linux') return await elsewhere(systemPath, shown);
    return onLinux(await open(systemPath, directoryFlags));
  } catch (error) {
    throw await explainNoDirectory(error, systemPath, shown);
  }
}

async function openDirectory(systemPath: string, shown: string): Promise<ConfinedDirectory> {
  const directory = await openAny(systemPath, shown);
  try {
    // Asked of what is open, so a swap after the look changes nothing.
    if (await isDataDirectory(directory.path)) throw dataRefusal(shown);
    return directory;
  } catch (error) {
    await directory.close();
    throw fileError(error, shown);
  }
}

async function createDirectory(systemPath: string, shown: string): Promise<void> {
  try {
    await mkdir(systemPath);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw fileError(error, shown);
  }
}

/**
 * Opens the directory at `components` below the workspace, one component at a time, and enters no
 * data directory. What lies above the workspace is not looked at: a workspace may lie in one.
 */
export async function openConfinedDirectory(
  workspace: string,
  components: readonly string[],
  options: { create?: boolean } = {},
): Promise<ConfinedDirectory> {
  let directory = await openDirectory(workspace, `the workspace ${workspace}`);
  for (const [index, name] of components.entries()) {
    const parent = directory;
    const shown = components.slice(0, index + 1).join('/');
    try {
      if (options.create) await createDirectory(parent.pathOf(name), shown);
      directory = await openDirectory(parent.pathOf(name), shown);
    } finally {
      await parent.close();
    }
  }
  return directory;
}

/** Runs `use` with the parent directory of a path and the path's last name, then closes it. */
export async function withParentDirectory<T>(
  workspace: string,
  components: readonly string[],
  options: { create?: boolean },
  use: (parent: ConfinedDirectory, name: string) => Promise<T>,
): Promise<T> {
  const name = components.at(-1);
  if (name === undefined) {
    throw new AppError('tool_failed', 'the path names the workspace directory itself, not a file');
  }
  const parent = await openConfinedDirectory(workspace, components.slice(0, -1), options);
  try {
    const stats = await lstat(parent.pathOf(name)).catch(() => null);
    if (stats?.isDirectory() && (await isDataDirectory(parent.pathOf(name)))) {
      throw dataRefusal(components.join('/'));
    }
    return await use(parent, name);
  } finally {
    await parent.close();
  }
}
