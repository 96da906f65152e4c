import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { AppError } from '@loom/shared/app-error';
import type { ConfinedDirectory } from './confined-directory.ts';
import { fileError } from './file-error.ts';
import { openConfinedFile, openPlainFile } from './open-confined-file.ts';

interface ReadLimits {
  max_bytes: number;
}

async function readAndClose(
  { handle, stats }: { handle: FileHandle; stats: Stats },
  shown: string,
  { max_bytes }: ReadLimits,
): Promise<Buffer> {
  try {
    const tooLarge = (bytes: number) =>
      new AppError(
        'payload_too_large',
        `${shown} has ${bytes} bytes, more than the ${max_bytes} that can be read; use search_files to find the part you need`,
      );
    if (stats.size > max_bytes) throw tooLarge(stats.size);
    const content = await handle.readFile();
    // The file may have grown between the two looks.
    if (content.length > max_bytes) throw tooLarge(content.length);
    return content;
  } catch (error) {
    throw fileError(error, shown);
  } finally {
    await handle.close();
  }
}

/** The whole content of a file of a directory; refuses one larger than `max_bytes`. */
export async function readPlainFile(
  parent: ConfinedDirectory,
  name: string,
  shown: string,
  limits: ReadLimits,
): Promise<Buffer> {
  return readAndClose(await openPlainFile(parent, name, shown), shown, limits);
}

/** The whole content of a file of the workspace; refuses one larger than `max_bytes`. */
export async function readConfined(
  workspace: string,
  path: string,
  limits: ReadLimits,
): Promise<Buffer> {
  return readAndClose(await openConfinedFile(workspace, path), path, limits);
}
