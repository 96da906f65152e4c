import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@loom/shared/app-error';
import { systemCode } from './file-error.ts';

/**
 * The file that makes a directory Loom's own data, which no tool shows or changes.
 *
 * It is a mark in the directory and not a path in everybody's options, because the mark is seen on
 * the very directory that was opened, by whatever name it was reached, and by every process that
 * shares the disk. Only programs that open files by path, the shell and ripgrep, cannot look for
 * it: they are given `hidden_paths`.
 */
export const dataMarker = '.loom-data';

/** Whether a directory is marked as Loom's own data. */
export async function isDataDirectory(systemPath: string): Promise<boolean> {
  try {
    await lstat(join(systemPath, dataMarker));
    return true;
  } catch (error) {
    // A directory that may not be searched gives nothing away either.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(systemCode(error) ?? '')) return false;
    throw error;
  }
}

/** The refusal of Loom's own data, the same wherever it is met. */
export function dataRefusal(path: string): AppError {
  return new AppError(
    'forbidden',
    `${path} belongs to Loom's own data, which is closed to tools; work elsewhere in the workspace`,
  );
}
