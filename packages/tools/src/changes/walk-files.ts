import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { dataMarker } from '../confined/data-directory.ts';
import { isTemporaryName } from '../confined/temporary-name.ts';
import { ignoredNames } from './ignored-names.ts';

/** A file as its directory entry shows it, without its content. */
export interface SeenFile {
  size: number;
  mode: number;
  /** Differs when the file was written, replaced or given other permissions. */
  identity: string;
  changed_at_ms: number;
  /** Has other names too, under which it may lie outside. */
  is_linked: boolean;
}

export interface Walk {
  files: Map<string, SeenFile>;
  /** Directories that were not entered. */
  left_out: Set<string>;
}

interface WalkOptions {
  max_files: number;
  /** Paths that are not entered, relative to the workspace. */
  leave_out: ReadonlySet<string>;
  /** Called while the file can be reached at `systemPath` without following a link. */
  visit?: (path: string, seen: SeenFile, systemPath: string) => void;
}

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const leftOutNames = new Set(['.git', 'node_modules', '__pycache__']);
/** What lies in a directory that some tool can make again: a Python environment, a cache, Loom's data. */
const leftOutMarks = new Set(['pyvenv.cfg', 'CACHEDIR.TAG', dataMarker]);
const maxDepth = 64;
const maxIgnoreBytes = 64 * 1024;
const sliceMs = 8;

/** What `lstat` says of a file, in the form in which two looks are compared. */
export function toSeenFile(stats: BigIntStats): SeenFile {
  const { dev, ino, size, mtimeNs, ctimeNs, mode } = stats;
  return {
    size: Number(size),
    mode: Number(mode) & 0o777,
    identity: `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`,
    changed_at_ms: Number(stats.ctimeMs),
    is_linked: stats.nlink > 1n,
  };
}

function lstatFile(systemPath: string): BigIntStats | null {
  const stats = lstatSync(systemPath, { bigint: true, throwIfNoEntry: false });
  return stats?.isFile() ? stats : null;
}

function ignoredIn(base: string, entries: readonly Dirent[]) {
  const none = { here: new Set<string>(), below: new Set<string>() };
  if (!entries.some((entry) => entry.name === '.gitignore' && entry.isFile())) return none;
  const stats = lstatFile(join(base, '.gitignore'));
  if (stats === null || stats.size > maxIgnoreBytes) return none;
  return ignoredNames(readFileSync(join(base, '.gitignore'), 'utf8'));
}

/** A name that is not UTF-8 cannot be told apart from others, so it is not followed. */
function isShowable(name: string): boolean {
  return !name.includes('\ufffd') && !name.includes('\n');
}

function* walkDirectory(
  systemPath: string,
  at: { path: string; depth: number; ignored: ReadonlySet<string> },
  walk: Walk,
  options: WalkOptions,
): Generator<void, boolean> {
  let fd: number;
  try {
    fd = openSync(systemPath, directoryFlags);
  } catch {
    walk.left_out.add(at.path);
    return true;
  }
  try {
    // The kernel finds the open directory itself there, whatever its name leads to by now.
    const base = process.platform === 'linux' ? `/proc/self/fd/${fd}` : systemPath;
    const entries = readdirSync(base, { withFileTypes: true });
    if (at.depth > 0 && entries.some(({ name }) => leftOutMarks.has(name))) {
      walk.left_out.add(at.path);
      return true;
    }
    const { here, below } = ignoredIn(base, entries);
    const ignored = below.size === 0 ? at.ignored : new Set([...at.ignored, ...below]);
    for (const entry of entries) {
      if (!isShowable(entry.name)) continue;
      const path = at.path === '' ? entry.name : `${at.path}/${entry.name}`;
      if (entry.isDirectory()) {
        const { name } = entry;
        const isLeftOut =
          leftOutNames.has(name) ||
          here.has(name) ||
          ignored.has(name) ||
          options.leave_out.has(path);
        if (isLeftOut || at.depth >= maxDepth) walk.left_out.add(path);
        else {
          const inside = { path, depth: at.depth + 1, ignored };
          if (!(yield* walkDirectory(`${base}/${name}`, inside, walk, options))) return false;
        }
      } else if (entry.isFile() && !isTemporaryName(entry.name)) {
        const stats = lstatFile(`${base}/${entry.name}`);
        if (stats === null) continue;
        if (walk.files.size >= options.max_files) return false;
        const seen = toSeenFile(stats);
        walk.files.set(path, seen);
        options.visit?.(path, seen, `${base}/${entry.name}`);
        yield;
      }
    }
    return true;
  } finally {
    closeSync(fd);
  }
}

/**
 * Looks at every file of the workspace without following a link, except in directories that hold
 * what tools make: `.git`, dependencies, caches, and what a `.gitignore` names plainly. Null when
 * there are more than `max_files`.
 */
export async function walkFiles(workspace: string, options: WalkOptions): Promise<Walk | null> {
  const walk: Walk = { files: new Map(), left_out: new Set() };
  const steps = walkDirectory(workspace, { path: '', depth: 0, ignored: new Set() }, walk, options);
  // System calls without a thread change are several times quicker, but others must get their turn.
  for (let until = performance.now() + sliceMs; ; ) {
    const { done, value } = steps.next();
    if (done) return value ? walk : null;
    if (performance.now() < until) continue;
    await setImmediate();
    until = performance.now() + sliceMs;
  }
}
