import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { AppError } from '@loom/shared/app-error';
import { isDataDirectory } from '@loom/tools/confined/data-directory';
import {
  absolutePath,
  directoriesBetween,
  realPathOf,
  type WorkspaceRules,
} from './resolve-workspace.ts';

interface Problem {
  path: string;
  message: string;
}

/**
 * The real paths of directories that may be read beside a workspace, each once. Whichever may not
 * is refused under its place in `field`, all of them at once.
 */
export async function resolveReadRoots(
  wanted: readonly string[],
  field: string,
  rules: WorkspaceRules,
): Promise<string[]> {
  const roots = new Set<string>();
  const errors: Problem[] = [];
  for (const [index, path] of wanted.entries()) {
    const named = absolutePath(path, rules);
    const real = await realPathOf(named).catch(() => null);
    const reason = real === null ? 'it cannot be reached' : await reasonAgainst(real, rules);
    if (real !== null && reason === null) roots.add(real);
    else {
      const message = `${named} cannot be read beside the workspace: ${reason}`;
      errors.push({ path: `${field}.${index}`, message });
    }
  }
  const [first] = errors;
  if (first === undefined) return [...roots];
  throw new AppError('workspace_invalid', `${first.message}.`, { details: { errors } });
}

async function reasonAgainst(real: string, rules: WorkspaceRules): Promise<string | null> {
  // Asked first: whether something outside exists is nobody's business.
  if (!(await isInOneOf(rules.workspace_roots, real))) {
    return `it lies outside ${rules.workspace_roots.join(', ')}`;
  }
  const stats = await stat(real).catch(() => null);
  if (stats === null) return 'it does not exist';
  if (!stats.isDirectory()) return 'it is not a directory';
  const way = await directoriesBetween('/', real);
  const closed = await Promise.all(way.map(isDataDirectory));
  if (closed.includes(true)) return "it belongs to Loom's own data";
  // Fresh workspaces lie in the data directory, so what holds the one holds the other.
  const data = await realPathOf(rules.default_workspace);
  if (await isInOneOf([real], data)) return "Loom's own data lies in it; name what is beside that";
  const readable = access(real, constants.R_OK | constants.X_OK);
  return readable.then(
    () => null,
    () => 'it may not be read by this process',
  );
}

async function isInOneOf(roots: readonly string[], path: string): Promise<boolean> {
  for (const root of roots) {
    if ((await directoriesBetween(root, path)).length > 0) return true;
  }
  return false;
}
