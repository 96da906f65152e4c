import { createHash } from 'node:crypto';
import { AppError } from '@loom/shared/app-error';
import type { FileBefore, FileVersion } from '@loom/shared/tool';
import { fileError } from './file-error.ts';
import { openConfinedFile } from './open-confined-file.ts';

/** The size of the largest file whose content is kept before it is changed. */
export const maxKeptBytes = 10 * 1024 * 1024;

/** The version that a file with this content and these permissions is. */
export function versionOfContent(content: Buffer, mode: number): FileVersion {
  const hash = createHash('sha256').update(content).digest('hex');
  return { hash, size: content.length, mode: mode & 0o777 };
}

/**
 * The version of a file of the workspace, or null when there is no file. Its content comes with it
 * unless it is larger than `maxKeptBytes` or has another name, under which it may lie outside.
 */
export async function versionConfined(
  workspace: string,
  path: string,
): Promise<FileBefore['before']> {
  const opened = await openConfinedFile(workspace, path, { hard_links: true }).catch((error) => {
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  });
  if (opened === null) return null;
  const { handle, stats } = opened;
  const hash = createHash('sha256');
  let kept: Buffer[] | null = stats.nlink > 1 ? null : [];
  let size = 0;
  try {
    for await (const chunk of handle.createReadStream({ autoClose: false })) {
      hash.update(chunk);
      size += chunk.length;
      if (size > maxKeptBytes) kept = null;
      kept?.push(chunk);
    }
  } catch (error) {
    throw fileError(error, path);
  } finally {
    await handle.close();
  }
  const content = kept === null ? null : Buffer.concat(kept);
  return { hash: hash.digest('hex'), size, mode: stats.mode & 0o777, content };
}
