import { tmpdir } from 'node:os';
import { type ContentStore, openContentStore } from './content-store.ts';
import { type SeenFile, type Walk, walkFiles } from './walk-files.ts';

/** A file of a snapshot: as it was seen, and its content unless it was too large or unreadable. */
export interface SnapshotFile extends SeenFile {
  /** So young that a change in the same tick of the clock would not show. */
  is_fresh: boolean;
  content(): Buffer | null;
}

/** How a workspace was at one time; its content can be read until it is released. */
export interface Snapshot {
  files: ReadonlyMap<string, SnapshotFile>;
  left_out: ReadonlySet<string>;
  release(): void;
}

/** Takes snapshots of workspaces and copies only what changed since the last one. */
export interface Snapshots {
  /** Null when the workspace has too many files. */
  take(workspace: string, hidden: readonly string[]): Promise<Snapshot | null>;
  close(): void;
}

/** In larger workspaces changes are not told. */
export const maxFiles = 20_000;
/** The content of a larger file is not copied. */
const maxFileBytes = 2 * 1024 * 1024;
/** Of one workspace; what comes after it in the walk is not copied. */
const maxWorkspaceBytes = 256 * 1024 * 1024;
/** Of all workspaces that no command runs in; the one used longest ago is forgotten first. */
const maxIdleBytes = 1024 * 1024 * 1024;
const maxIdleWorkspaces = 32;
/** Longer than the coarsest tick in which file systems count. */
const freshMs = 50;

interface KnownWorkspace {
  store: ContentStore;
  files: Map<string, SnapshotFile>;
  users: number;
}

/** Snapshots that keep their content below `directory`. */
export function createSnapshots({ directory = tmpdir() }: { directory?: string } = {}): Snapshots {
  // In the order of their last use.
  const workspaces = new Map<string, KnownWorkspace>();

  const forget = (workspace: string, known: KnownWorkspace) => {
    known.store.close();
    workspaces.delete(workspace);
  };
  const forgetIdle = () => {
    const idle = [...workspaces].filter(([, { users }]) => users === 0);
    let bytes = idle.reduce((sum, [, { store }]) => sum + store.bytes(), 0);
    for (const [index, [workspace, known]] of idle.entries()) {
      if (idle.length - index <= maxIdleWorkspaces && bytes <= maxIdleBytes) return;
      bytes -= known.store.bytes();
      forget(workspace, known);
    }
  };
  const enter = (workspace: string): KnownWorkspace => {
    const before = workspaces.get(workspace);
    // What was replaced stays in the store, so now and then it begins anew.
    const isWornOut = before && before.users === 0 && before.store.bytes() > 2 * maxWorkspaceBytes;
    if (before && isWornOut) forget(workspace, before);
    const known =
      workspaces.get(workspace) ??
      ({ store: openContentStore(directory), files: new Map(), users: 0 } satisfies KnownWorkspace);
    known.users += 1;
    workspaces.delete(workspace);
    workspaces.set(workspace, known);
    return known;
  };
  const leave = (known: KnownWorkspace) => {
    known.users -= 1;
    forgetIdle();
  };

  const look = async (workspace: string, known: KnownWorkspace, leave_out: Set<string>) => {
    const { store } = known;
    const files = new Map<string, SnapshotFile>();
    let bytes = 0;
    const remember = (path: string, seen: SeenFile, systemPath: string) => {
      const before = known.files.get(path);
      if (before && before.identity === seen.identity && !before.is_fresh) {
        bytes += seen.size;
        files.set(path, before);
        return;
      }
      const isKept = !seen.is_linked && seen.size <= maxFileBytes;
      const hasRoom = bytes + seen.size <= maxWorkspaceBytes;
      const place = isKept && hasRoom ? store.copy(systemPath, seen) : null;
      if (place !== null) bytes += seen.size;
      files.set(path, {
        ...seen,
        is_fresh: seen.changed_at_ms > Date.now() - freshMs,
        content: () => place && store.read(place),
      });
    };
    const walk: Walk | null = await walkFiles(workspace, {
      max_files: maxFiles,
      leave_out,
      visit: remember,
    });
    if (walk === null) return null;
    known.files = files;
    return { files, left_out: walk.left_out };
  };

  return {
    async take(workspace, hidden) {
      const known = enter(workspace);
      let isUsed = true;
      const release = () => {
        if (isUsed) leave(known);
        isUsed = false;
      };
      try {
        const seen = await look(workspace, known, new Set(hidden));
        if (seen !== null) return { ...seen, release };
        release();
        return null;
      } catch (error) {
        release();
        throw error;
      }
    },
    close() {
      for (const [workspace, known] of workspaces) forget(workspace, known);
    },
  };
}
