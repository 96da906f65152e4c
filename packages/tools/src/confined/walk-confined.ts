import { AppError } from '@loom/shared/app-error';
import { gitRefusal, isGitName } from './changeable-path.ts';
import { listConfined } from './list-confined.ts';

/**
 * The regular files below a directory that is to be changed as a whole, at most `max_files`.
 * Refuses a directory that holds what cannot be put back: links, special files, git's or Loom's data.
 */
export async function walkConfined(
  workspace: string,
  directory: string,
  options: { max_files: number; signal: AbortSignal },
): Promise<string[]> {
  const files: string[] = [];
  const pending = [directory];
  let seen = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    options.signal.throwIfAborted();
    const { entries, total } = await listConfined(workspace, next, {
      max_entries: options.max_files + 1,
      refuse_hidden: true,
    });
    seen += total;
    if (seen > options.max_files) {
      throw new AppError(
        'tool_failed',
        `${directory} holds more than ${options.max_files} files; work on smaller parts of it, one at a time`,
      );
    }
    for (const { name, kind } of entries) {
      const path = `${next}/${name}`;
      if (isGitName(name)) throw gitRefusal(path);
      if (kind === 'directory') pending.push(path);
      else if (kind === 'file') files.push(path);
      else {
        throw new AppError(
          'forbidden',
          `${directory} holds ${path}, which is not a regular file; work on the files inside it one at a time`,
        );
      }
    }
  }
  return files.sort();
}
