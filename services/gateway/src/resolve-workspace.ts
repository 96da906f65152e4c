import { constants } from 'node:fs';
import { access, mkdir, realpath, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AppError } from '@loom/shared/app-error';
import { newId } from '@loom/shared/ids';
import { isDataDirectory } from '@loom/tools/confined/data-directory';
import { fileError, systemCode } from '@loom/tools/confined/file-error';

/** In which directories workspaces may lie. */
export interface WorkspaceRules {
  workspace_roots: string[];
  default_workspace: string;
}

/** Where the embedded Postgres lives in the data directory. */
const databaseDirectory = 'postgres';

/**
 * The real path of a workspace that lies in an allowed root and can be written; made if need be.
 * Whoever names none gets a new one, whose name nobody can guess.
 */
export async function resolveWorkspace(
  wanted: string | undefined,
  rules: WorkspaceRules,
): Promise<string> {
  const named =
    wanted === undefined ? join(rules.default_workspace, newId('ws')) : absolutePath(wanted, rules);
  return writableWorkspace(named, rules, (path) => mkdir(path, { recursive: true }));
}

/** The same for a workspace that was in use before: one that has vanished is not made anew, since its files would be missing. */
export async function resolveUsedWorkspace(used: string, rules: WorkspaceRules): Promise<string> {
  return writableWorkspace(absolutePath(used, rules), rules, async () => {});
}

async function writableWorkspace(
  named: string,
  rules: WorkspaceRules,
  prepare: (path: string) => Promise<unknown>,
): Promise<string> {
  try {
    const path = await realPathOf(named);
    await requireAllowed(path, named, rules);
    await prepare(path);
    // Looked at again, since a link may have come up while the directory was made.
    const made = await realpath(path);
    await requireAllowed(made, named, rules);
    if (!(await stat(made)).isDirectory()) throw refusal(named, 'it is not a directory', rules);
    await access(made, constants.R_OK | constants.W_OK | constants.X_OK);
    return made;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw refusal(named, reasonOf(error), rules);
  }
}

function reasonOf(error: unknown): string {
  return systemCode(error) === 'EEXIST' ? 'it is not a directory' : fileError(error, 'it').message;
}

/** Every spelling under which a workspace may have been stored; nothing is made. */
export async function spellingsOf(wanted: string, rules: WorkspaceRules): Promise<string[]> {
  const named = absolutePath(wanted, rules);
  const real = await realPathOf(named).catch(() => named);
  return [...new Set([wanted, named, real])];
}

/** Takes back the directory of a request that named none and only repeated an earlier one. */
export async function dropUnused(made: string | null, kept: string | null): Promise<void> {
  if (made !== null && made !== kept) await rmdir(made).catch(() => {});
}

/** Where a path of a request begins: in the first root, unless it says so itself. */
export function absolutePath(
  wanted: string,
  { workspace_roots, default_workspace }: WorkspaceRules,
): string {
  return resolve(workspace_roots[0] ?? default_workspace, wanted);
}

/** The real path of what is there, with the rest of the way appended. */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing || dirname(path) === path) throw error;
    return join(await realPathOf(dirname(path)), basename(path));
  }
}

async function requireAllowed(path: string, named: string, rules: WorkspaceRules): Promise<void> {
  // Only their names keep the workspaces in it apart.
  if (path === (await realPathOf(rules.default_workspace))) {
    throw refusal(named, 'it holds the workspaces of others', rules);
  }
  let reason = 'it lies outside';
  for (const root of [...rules.workspace_roots, rules.default_workspace]) {
    const way = await directoriesBetween(root, path);
    if (way.length === 0) continue;
    const [top = root, ...below] = way;
    const closed = await Promise.all([...below, path].map(isDataDirectory));
    // An operator may keep workspaces in the data directory, beside what Loom keeps there.
    const amongData = (await isDataDirectory(top)) && below[0] === join(top, databaseDirectory);
    if (!closed.includes(true) && !amongData) return;
    reason = "it belongs to Loom's own data";
  }
  throw refusal(named, reason, rules);
}

/** The directories from a root down to a path, both included; none when the path lies elsewhere. */
export async function directoriesBetween(root: string, path: string): Promise<string[]> {
  const top = await realPathOf(resolve(root));
  const way = relative(top, path);
  if (isAbsolute(way) || way.split(sep)[0] === '..') return [];
  const names = way === '' ? [] : way.split(sep);
  return [top, ...names.map((_, end) => join(top, ...names.slice(0, end + 1)))];
}

function refusal(path: string, reason: string, rules: WorkspaceRules): AppError {
  const roots = rules.workspace_roots.join(', ');
  const message = `${path} cannot be the workspace: ${reason}. Workspaces may lie in ${roots}`;
  return new AppError('workspace_invalid', `${message}.`, {
    details: { errors: [{ path: 'workspace', message }] },
  });
}
