import { constants } from 'node:fs';
import { access, mkdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { AppError, errorMessage } from '@loom/shared/app-error';

interface WorkspaceRules {
  workspace_roots: string[];
  default_workspace: string;
}

/** The real path of a workspace that lies in an allowed root and can be written; made if need be. */
export async function resolveWorkspace(
  wanted: string | undefined,
  rules: WorkspaceRules,
): Promise<string> {
  const named = resolve(rules.default_workspace, wanted ?? '.');
  try {
    const path = await realPathOf(named);
    if (!(await isInRoot(path, rules.workspace_roots))) {
      throw refusal(named, 'it lies outside', rules);
    }
    await mkdir(path, { recursive: true });
    // Looked at again, since a link may have come up while the directory was made.
    const made = await realpath(path);
    if (!(await isInRoot(made, rules.workspace_roots))) {
      throw refusal(named, 'it lies outside', rules);
    }
    if (!(await stat(made)).isDirectory()) throw refusal(named, 'it is not a directory', rules);
    await access(made, constants.R_OK | constants.W_OK | constants.X_OK);
    return made;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw refusal(named, errorMessage(error), rules);
  }
}

/** Every spelling under which a workspace may have been stored; nothing is made. */
export async function spellingsOf(wanted: string, rules: WorkspaceRules): Promise<string[]> {
  const named = resolve(rules.default_workspace, wanted);
  const real = await realPathOf(named).catch(() => named);
  return [...new Set([wanted, named, real])];
}

/** The real path of what is there, with the rest of the way appended. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing || dirname(path) === path) throw error;
    return join(await realPathOf(dirname(path)), basename(path));
  }
}

async function isInRoot(path: string, roots: string[]): Promise<boolean> {
  for (const root of roots) {
    const way = relative(await realPathOf(resolve(root)), path);
    if (way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && resolve(way) !== way)) {
      return true;
    }
  }
  return false;
}

function refusal(path: string, reason: string, rules: WorkspaceRules): AppError {
  const roots = rules.workspace_roots.join(', ');
  const message = `${path} cannot be the workspace: ${reason}. Workspaces may lie in ${roots}`;
  return new AppError('workspace_invalid', `${message}.`, {
    details: { errors: [{ path: 'workspace', message }] },
  });
}
