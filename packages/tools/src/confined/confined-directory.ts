import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rmdir } from 'node:fs/promises';
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

/** Whether the directory is new. */
async function createDirectory(systemPath: string, shown: string): Promise<boolean> {
  try {
    await mkdir(systemPath);
    return true;
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw fileError(error, shown);
    return false;
  }
}

/** Takes back directories that were created for nothing, as far as they are still empty. */
async function removeCreated(workspace: string, created: readonly string[][]): Promise<void> {
  for (const components of created.toReversed()) {
    const remove = (parent: ConfinedDirectory, name: string) => rmdir(parent.pathOf(name));
    await withParentDirectory(workspace, components, {}, remove).catch(() => {});
  }
}

/** Opens a directory component by component; what it creates on the way is added to `created`. */
async function descend(
  workspace: string,
  components: readonly string[],
  created: string[][] | null,
): Promise<ConfinedDirectory> {
  let directory = await openDirectory(workspace, `the workspace ${workspace}`);
  for (const [index, name] of components.entries()) {
    const parent = directory;
    const way = components.slice(0, index + 1);
    const shown = way.join('/');
    try {
      if (created && (await createDirectory(parent.pathOf(name), shown))) created.push(way);
      directory = await openDirectory(parent.pathOf(name), shown);
    } finally {
      await parent.close();
    }
  }
  return directory;
}

/**
 * Opens the directory at `components` below the workspace, one component at a time, and enters no
 * data directory. What lies above the workspace is not looked at: a workspace may lie in one.
 */
export async function openConfinedDirectory(
  workspace: string,
  components: readonly string[],
): Promise<ConfinedDirectory> {
  return descend(workspace, components, null);
}

async function useParent<T>(
  parent: ConfinedDirectory,
  components: readonly string[],
  name: string,
  use: (parent: ConfinedDirectory, name: string) => Promise<T>,
): Promise<T> {
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

/**
 * Runs `use` with the parent directory of a path and the path's last name, then closes it. With
 * `create` missing directories are created, and removed again when `use` fails.
 */
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
  const created: string[][] = [];
  try {
    const above = components.slice(0, -1);
    const parent = await descend(workspace, above, options.create ? created : null);
    return await useParent(parent, components, name, use);
  } catch (error) {
    await removeCreated(workspace, created);
    throw error;
  }
}
