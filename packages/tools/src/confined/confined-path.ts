import { isAbsolute, relative, resolve, sep } from 'node:path';
import { AppError } from '@loom/shared/app-error';
import { dataMarker, dataRefusal } from './data-directory.ts';

/**
 * The components of a path below the workspace, empty for the workspace itself.
 * Purely lexical: `..` may not climb out, and an absolute path must lie inside.
 */
export function splitConfinedPath(workspace: string, path: string): string[] {
  if (path.includes('\u0000')) {
    throw new AppError('invalid_request', 'the path contains a NUL character; remove it');
  }
  const inside = relative(workspace, resolve(workspace, path));
  if (inside === '') return [];
  const components = inside.split(sep);
  if (isAbsolute(inside) || components[0] === '..') {
    throw new AppError(
      'forbidden',
      `the path ${path} lies outside the workspace; use a path relative to the workspace root`,
    );
  }
  // Writing the mark would close a directory for good.
  if (components.includes(dataMarker)) throw dataRefusal(components.join('/'));
  return components;
}

/** A path as results show it: relative to the workspace, with forward slashes. */
export function toWorkspacePath(workspace: string, path: string): string {
  return splitConfinedPath(workspace, path).join('/') || '.';
}
