import { createHash } from 'node:crypto';
import { AppError } from '@loom/shared/app-error';
import { fileError } from './file-error.ts';
import { openConfinedFile } from './open-confined-file.ts';

/** The SHA-256 and size of a file of the workspace, or null when there is no such file. */
export async function hashConfined(
  workspace: string,
  path: string,
): Promise<{ sha256: string; bytes: number } | null> {
  const opened = await openConfinedFile(workspace, path).catch((error) => {
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  });
  if (opened === null) return null;
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of opened.handle.createReadStream({ autoClose: false })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    throw fileError(error, path);
  } finally {
    await opened.handle.close();
  }
  return { sha256: hash.digest('hex'), bytes };
}
