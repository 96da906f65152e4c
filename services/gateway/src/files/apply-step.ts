import { AppError } from '@loom/shared/app-error';
import type { FileBefore, FileVersion } from '@loom/shared/tool';
import { openConfinedFile } from '@loom/tools/confined/open-confined-file';
import { removeConfined } from '@loom/tools/confined/remove-confined';
import { maxKeptBytes } from '@loom/tools/confined/version-confined';
import { writeConfinedAtomic } from '@loom/tools/confined/write-confined-atomic';
import { readNow } from './disk-file.ts';
import { sameContent } from './effective-changes.ts';
import type { RevertStep } from './plan-revert.ts';
import { revertConflict } from './revert-conflict.ts';

/** Puts one file back, unless it changed since it was looked at; answers with how it is now. */
export async function applyStep(
  workspace: string,
  step: RevertStep,
  loadContent: (hash: string) => Promise<Buffer | null>,
): Promise<FileVersion | null> {
  const { path, target, found } = step;
  const beforeChange = async () => {
    await lookAgain(workspace, step);
  };
  if (target === null) {
    await removeConfined(workspace, path, { beforeChange });
    await removeEmptyParents(workspace, path);
    return null;
  }
  let mode = found?.mode;
  if (!sameContent(found, target)) {
    const content = await loadContent(target.hash);
    if (content === null) throw revertConflict([{ path, message: 'its content is gone' }]);
    const options = { max_bytes: maxKeptBytes, beforeChange };
    ({ mode } = await writeConfinedAtomic(workspace, path, content, options));
  }
  if (mode !== target.mode) await setMode(workspace, path, target.mode);
  return target;
}

/** A file once more, with its content; refuses one that is not as it was found. */
export async function lookAgain(
  workspace: string,
  { path, found }: RevertStep,
): Promise<FileBefore['before']> {
  const there = await readNow(workspace, path);
  const now = there === 'directory' ? null : there;
  if (sameContent(now, found)) return now;
  throw new AppError(
    'revert_conflict',
    `${path} was changed this very moment. Look at it, then ask again.`,
  );
}

async function setMode(workspace: string, path: string, mode: number): Promise<void> {
  const { handle } = await openConfinedFile(workspace, path);
  try {
    await handle.chmod(mode);
  } finally {
    await handle.close();
  }
}

/** Directories that held nothing but the removed file go with it. */
async function removeEmptyParents(workspace: string, path: string): Promise<void> {
  const names = path.split('/').slice(0, -1);
  for (; names.length > 0; names.pop()) {
    try {
      await removeConfined(workspace, names.join('/'));
    } catch (error) {
      if (error instanceof AppError) return;
      throw error;
    }
  }
}
