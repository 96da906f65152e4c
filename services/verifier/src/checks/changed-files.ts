import { basename } from 'node:path';
import type { CheckResult } from '@loom/shared/verdict';
import { lookAt, type SeenFile } from './look-at.ts';

/** Names that mean something by being there at all. */
const emptyByConvention = new Set(['__init__.py', 'py.typed', '.gitkeep', '.keep', '.nojekyll']);

/** The changed files that still exist; one that was deleted again is no fault. */
export async function findChangedFiles(
  paths: readonly string[],
  workspace: string | null,
): Promise<SeenFile[]> {
  if (workspace === null) return [];
  const files: SeenFile[] = [];
  for (const path of paths) {
    const seen = await lookAt(workspace, path);
    if (seen.kind === 'file') files.push(seen);
  }
  return files;
}

/** A file that was made or changed must hold something. */
export function checkNotEmpty({ path, bytes, sha256 }: SeenFile): CheckResult {
  const passed = bytes > 0 || emptyByConvention.has(basename(path));
  return {
    name: 'file_not_empty',
    target: path,
    passed,
    advisory: false,
    detail: passed ? `has ${bytes} bytes` : 'is empty: write its content',
    sha256,
  };
}
