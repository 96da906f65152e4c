import { errorMessage } from '@loom/shared/app-error';
import type { FileBefore, FileVersion } from '@loom/shared/tool';
import { statConfined } from '@loom/tools/confined/stat-confined';
import { versionConfined } from '@loom/tools/confined/version-confined';

/** What lies at a path of a workspace now. */
export type DiskFile =
  | { kind: 'file'; version: FileVersion }
  | { kind: 'none' }
  | { kind: 'directory' }
  /** Something that is not looked at, such as a symbolic link. */
  | { kind: 'refused'; reason: string };

/** How many files are looked at at once. */
const readsAtOnce = 8;

/** The file at a path with its content, null when there is none, or that a directory is there. */
export async function readNow(
  workspace: string,
  path: string,
): Promise<FileBefore['before'] | 'directory'> {
  try {
    return await versionConfined(workspace, path);
  } catch (error) {
    const found = await statConfined(workspace, path).catch(() => null);
    if (found?.kind === 'directory') return 'directory';
    throw error;
  }
}

/** Looks at several paths; what cannot be looked at is told, not thrown. */
export async function readDiskFiles(
  workspace: string,
  paths: readonly string[],
): Promise<Map<string, DiskFile>> {
  const away = await whyAway(workspace);
  const found = new Map<string, DiskFile>();
  for (let from = 0; from < paths.length; from += readsAtOnce) {
    const some = paths.slice(from, from + readsAtOnce);
    const look = (path: string) =>
      away === null ? readDiskFile(workspace, path) : ({ kind: 'refused', reason: away } as const);
    const files = await Promise.all(some.map(look));
    for (const [index, file] of files.entries()) found.set(some[index] ?? '', file);
  }
  return found;
}

async function readDiskFile(workspace: string, path: string): Promise<DiskFile> {
  try {
    const found = await readNow(workspace, path);
    if (found === 'directory') return { kind: 'directory' };
    if (found === null) return { kind: 'none' };
    const { hash, size, mode } = found;
    return { kind: 'file', version: { hash, size, mode } };
  } catch (error) {
    return { kind: 'refused', reason: errorMessage(error) };
  }
}

async function whyAway(workspace: string): Promise<string | null> {
  try {
    const root = await statConfined(workspace, '.');
    return root === null ? 'the workspace is not there any more' : null;
  } catch (error) {
    return errorMessage(error);
  }
}

/** The version on disk, null where there is no file. */
export function versionOf(disk: DiskFile): FileVersion | null {
  return disk.kind === 'file' ? disk.version : null;
}
