import type { FileChange } from '@loom/db/file-changes/file-change';
import type { FileVersion } from '@loom/shared/tool';

/** A change with what it is known to have left. */
export interface SettledChange extends FileChange {
  /** False for one that was cut off before it did anything. */
  happened: boolean;
}

/** Whether two versions have the same content; null is no file. */
export function sameContent(one: FileVersion | null, other: FileVersion | null): boolean {
  return one?.hash === other?.hash;
}

/**
 * All changes of one file, oldest first, with what each left. Of one that was cut off the next one
 * tells, or the disk: how the file was found is how it was left.
 */
export function settleChanges(
  history: readonly FileChange[],
  disk: FileVersion | null,
): SettledChange[] {
  return history.map((change, index) => {
    if (change.status === 'done') return { ...change, happened: true };
    const next = history[index + 1];
    const after = next === undefined ? disk : next.before;
    return { ...change, after, happened: hasHappened(change, after, history) };
  });
}

/** A revert that was cut off has happened when the file is as it should have become. */
function hasHappened(
  change: FileChange,
  after: FileVersion | null,
  history: readonly FileChange[],
): boolean {
  if (change.undoes === null) return !sameContent(change.before, after);
  const first = history.find(({ place }) => place === change.undoes);
  return first !== undefined && sameContent(first.before, after);
}

/** The changes of one file that nobody has undone, oldest first. */
export function effectiveChanges(settled: readonly SettledChange[]): SettledChange[] {
  const effectiveBefore = new Map<number, SettledChange[]>();
  let effective: SettledChange[] = [];
  for (const change of settled) {
    effectiveBefore.set(change.place, effective);
    if (!change.happened) continue;
    // A revert brings back what counted before the first change that it undoes.
    const restored = change.undoes === null ? undefined : effectiveBefore.get(change.undoes);
    effective = restored ?? [...effective, change];
  }
  return effective;
}
