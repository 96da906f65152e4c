import { fileError } from './file-error.ts';
import { openConfinedFile } from './open-confined-file.ts';

/** The beginning of a file of the workspace, at most `max_bytes`, and the size of the whole. */
export async function headConfined(
  workspace: string,
  path: string,
  limits: { max_bytes: number },
): Promise<{ head: Buffer; bytes: number }> {
  const { handle, stats } = await openConfinedFile(workspace, path);
  try {
    const buffer = Buffer.alloc(Math.min(limits.max_bytes, stats.size));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return { head: buffer.subarray(0, bytesRead), bytes: stats.size };
  } catch (error) {
    throw fileError(error, path);
  } finally {
    await handle.close();
  }
}
