import { AppError } from '@loom/shared/app-error';
import { fileError } from './file-error.ts';
import { openConfinedFile } from './open-confined-file.ts';

/** The whole content of a file of the workspace; refuses one larger than `max_bytes`. */
export async function readConfined(
  workspace: string,
  path: string,
  options: { max_bytes: number },
): Promise<Buffer> {
  const { handle, stats } = await openConfinedFile(workspace, path);
  try {
    const tooLarge = (bytes: number) =>
      new AppError(
        'payload_too_large',
        `${path} has ${bytes} bytes, more than the ${options.max_bytes} that can be read; use search_files to find the part you need`,
      );
    if (stats.size > options.max_bytes) throw tooLarge(stats.size);
    const content = await handle.readFile();
    // The file may have grown between the two looks.
    if (content.length > options.max_bytes) throw tooLarge(content.length);
    return content;
  } catch (error) {
    throw fileError(error, path);
  } finally {
    await handle.close();
  }
}
