import type { FileAfter, FileBefore, ToolContext } from '@loom/shared/tool';
import { hiddenInside } from '../confined/hidden-inside.ts';
import { requireCommandWorkspace } from '../sandbox/require-command-workspace.ts';
import { compareSnapshot, maxToldChanges } from './compare-snapshot.ts';
import { maxFiles, type Snapshot, type Snapshots } from './snapshots.ts';

/** Pre-images that are handed over at once. */
const maxHandedBytes = 16 * 1024 * 1024;

const tooManyFiles = `[The workspace has more than ${maxFiles} files: which of them changed was not recorded and cannot be undone.]`;

interface Recorded {
  changes: FileAfter[];
  /** What could not be told, as a line for the reader; null when all was. */
  note: string | null;
}

async function record(
  workspace: string,
  snapshot: Snapshot,
  keep: ToolContext['keep'],
): Promise<Recorded> {
  const changes: FileAfter[] = [];
  let handed: FileBefore[] = [];
  let bytes = 0;
  const found = compareSnapshot(workspace, snapshot);
  let step = await found.next();
  for (; !step.done; step = await found.next()) {
    const { before, after } = step.value;
    changes.push(after);
    handed.push(before);
    bytes += before.before?.content?.length ?? 0;
    if (bytes < maxHandedBytes) continue;
    await keep.before(handed);
    handed = [];
    bytes = 0;
  }
  if (handed.length > 0) await keep.before(handed);
  if (step.value === null) return { changes, note: tooManyFiles };
  const note = `[${maxToldChanges} changed files were recorded; up to ${step.value} more changed, which cannot be undone.]`;
  return { changes, note: step.value === 0 ? null : note };
}

/**
 * Runs what may change any file of the workspace, and then keeps how the changed files were before
 * and tells how they are now, also when it failed.
 */
export async function withChanges<T>(
  snapshots: Snapshots,
  place: { workspace: string; hidden_paths: readonly string[]; keep: ToolContext['keep'] },
  run: () => Promise<T>,
): Promise<Recorded & { result: T }> {
  await requireCommandWorkspace(place.workspace);
  const hidden = await hiddenInside(place.workspace, place.hidden_paths);
  const snapshot = await snapshots.take(place.workspace, hidden);
  if (snapshot === null) return { result: await run(), changes: [], note: tooManyFiles };
  try {
    const outcome = await run().then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    if ('result' in outcome) {
      return { ...outcome, ...(await record(place.workspace, snapshot, place.keep)) };
    }
    // The failure is what the caller must hear, even when the changes cannot be kept.
    await record(place.workspace, snapshot, place.keep).catch(() => null);
    throw outcome.error;
  } finally {
    snapshot.release();
  }
}
