import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, errorMessage } from '@loom/shared/app-error';
import { dataMarker } from '@loom/tools/confined/data-directory';

const notice = "Loom's own data: database, keys, workspaces. This file keeps Loom's tools out.\n";

/** Makes the data directory if need be, marked so that no tool ever looks into it. */
export async function ensureDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await mark(join(dataDir, dataMarker));
  } catch (error) {
    throw new AppError(
      'invalid_config',
      `The data directory cannot be used: ${errorMessage(error)}. Set LOOM_DATA_DIR to a directory that this process may write to.`,
      { cause: error },
    );
  }
}

async function mark(file: string): Promise<void> {
  try {
    // Exclusive: several services that share the directory may start at once.
    await writeFile(file, notice, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
