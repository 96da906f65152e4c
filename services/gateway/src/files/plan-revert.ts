import type { FileChange } from '@loom/db/file-changes/file-change';
import type { FileVersion } from '@loom/shared/tool';
import { type DiskFile, versionOf } from './disk-file.ts';
import {
  effectiveChanges,
  type SettledChange,
  sameContent,
  settleChanges,
} from './effective-changes.ts';
import { findLaterChange, findStrangeContent } from './later-changes.ts';
import { chooseChanges, type RevertScope } from './revert-scope.ts';

/** One file that is to be put back. */
export interface RevertStep {
  path: string;
  /** How the file is to become; null: it goes. */
  target: FileVersion | null;
  /** How it must be found. */
  found: FileVersion | null;
  /** The changes that are undone, oldest first. */
  undone: SettledChange[];
}

/** What is to become of one file, or why it must stay. */
export type FileVerdict =
  | { kind: 'step'; step: RevertStep }
  | { kind: 'unchanged' }
  | { kind: 'conflict'; reason: string };

interface FileState {
  path: string;
  /** Everything that ever changed it, oldest first. */
  history: readonly FileChange[];
  disk: DiskFile;
}

/**
 * Whether the chosen changes of one file can be undone: nobody else has changed it since the first
 * of them, it is on disk as the last of them left it, and how it was is still known.
 */
export function planRevert(
  scope: RevertScope,
  { path, history, disk }: FileState,
  isKept: (hash: string) => boolean,
): FileVerdict {
  if (disk.kind === 'refused') return conflict(disk.reason);
  const found = versionOf(disk);
  const settled = settleChanges(history, found);
  const effective = effectiveChanges(settled);
  const undone = chooseChanges(scope, settled, effective);
  const [first] = undone;
  const last = undone.at(-1);
  if (first === undefined || last === undefined) return { kind: 'unchanged' };
  const running = settled.find((change) => change.running && change.place >= first.place);
  if (running !== undefined) return conflict('a call that is not over may still be changing it');
  const target = withModeOf(first.before, last.after, found);
  if (sameContent(found, target) && found?.mode === target?.mode) return { kind: 'unchanged' };
  const reason =
    findLaterChange(scope, effective, undone) ??
    findStrangeContent(settled, first.place) ??
    (sameContent(found, last.after) ? null : notAsLeft(disk));
  if (reason !== null) return conflict(reason);
  if (target !== null && !sameContent(found, target) && !isKept(target.hash)) {
    return conflict('its earlier content was too large to be kept');
  }
  return { kind: 'step', step: { path, target, found, undone } };
}

/** Permissions that someone has set since then stay. */
function withModeOf(
  target: FileVersion | null,
  left: FileVersion | null,
  found: FileVersion | null,
): FileVersion | null {
  if (target === null || left === null || found === null) return target;
  return found.mode === left.mode ? target : { ...target, mode: found.mode };
}

function notAsLeft(disk: DiskFile): string {
  if (disk.kind === 'none') return 'it was removed later, outside Loom';
  if (disk.kind === 'directory') return 'a directory is in its place now';
  return 'it was changed later, outside Loom';
}

function conflict(reason: string): FileVerdict {
  return { kind: 'conflict', reason };
}
