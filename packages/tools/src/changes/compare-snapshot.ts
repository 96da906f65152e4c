import { AppError } from '@loom/shared/app-error';
import type { FileAfter, FileBefore } from '@loom/shared/tool';
import { versionConfined, versionOfContent } from '../confined/version-confined.ts';
import { maxFiles, type Snapshot, type SnapshotFile } from './snapshots.ts';
import { walkFiles } from './walk-files.ts';

/** Files whose change is told one by one; of more, those that existed before come first. */
export const maxToldChanges = 200;

export interface FoundChange {
  before: FileBefore;
  after: FileAfter;
}

/** The paths that may have changed: first those that were there before. */
async function candidates(workspace: string, snapshot: Snapshot): Promise<string[] | null> {
  const walk = await walkFiles(workspace, { max_files: maxFiles, leave_out: snapshot.left_out });
  if (walk === null) return null;
  const touched = [...snapshot.files]
    .filter(([path, was]) => was.is_fresh || walk.files.get(path)?.identity !== was.identity)
    .map(([path]) => path);
  const created = [...walk.files.keys()].filter((path) => !snapshot.files.has(path));
  return [...touched.sort(), ...created.sort()];
}

/** A link or a device that took a file's place is no file: nothing is read through it. */
async function versionNow(workspace: string, path: string): Promise<FileAfter['after']> {
  const version = await versionConfined(workspace, path).catch((error) => {
    if (error instanceof AppError) return null;
    throw error;
  });
  if (version === null) return null;
  const { hash, size, mode } = version;
  return { hash, size, mode };
}

function versionThen(was: SnapshotFile): NonNullable<FileBefore['before']> {
  const content = was.content();
  // What was not copied has no hash that anybody knows.
  if (content === null) return { hash: '', size: was.size, mode: was.mode, content };
  return { ...versionOfContent(content, was.mode), content };
}

async function findChange(
  workspace: string,
  path: string,
  was: SnapshotFile | undefined,
): Promise<FoundChange | null> {
  const after = await versionNow(workspace, path);
  if (was === undefined) {
    return after && { before: { path, before: null }, after: { path, after } };
  }
  const before = versionThen(was);
  const isSame = before.hash === after?.hash && before.mode === after.mode;
  return isSame ? null : { before: { path, before }, after: { path, after } };
}

/**
 * Finds what happened to the files of a workspace since the snapshot, one by one and at most
 * `maxToldChanges`; gives how many more may have changed, or null when there are too many files to say.
 */
export async function* compareSnapshot(
  workspace: string,
  snapshot: Snapshot,
): AsyncGenerator<FoundChange, number | null> {
  const paths = await candidates(workspace, snapshot);
  if (paths === null) return null;
  let told = 0;
  for (const [index, path] of paths.entries()) {
    if (told === maxToldChanges) return paths.length - index;
    const change = await findChange(workspace, path, snapshot.files.get(path));
    if (change === null) continue;
    told += 1;
    yield change;
  }
  return 0;
}
