import { posix } from 'node:path';

/** One spelling for each path in a workspace: relative, without dots and without a slash at the end. */
export function relativePath(path: string, workspace: string | null): string {
  const plain = posix.normalize(path);
  const isInside = workspace !== null && plain.startsWith(`${workspace}/`);
  return (isInside ? plain.slice(workspace.length + 1) : plain).replace(/\/+$/, '');
}
