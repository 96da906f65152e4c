import type { FileVersion } from '@loom/shared/tool';
import { type SettledChange, sameContent } from './effective-changes.ts';

export const fileStatuses = ['created', 'modified', 'deleted', 'unchanged'] as const;
export type FileStatus = (typeof fileStatuses)[number];

/** What several changes of one file come to. */
export interface ChangeSum {
  status: FileStatus;
  before: FileVersion | null;
  after: FileVersion | null;
}

/** From how the first found the file to how the last left it. */
export function sumChanges(changes: readonly SettledChange[]): ChangeSum {
  const before = changes[0]?.before ?? null;
  const after = changes.at(-1)?.after ?? null;
  return { status: statusOf(before, after), before, after };
}

function statusOf(before: FileVersion | null, after: FileVersion | null): FileStatus {
  if (before === null) return after === null ? 'unchanged' : 'created';
  if (after === null) return 'deleted';
  return sameContent(before, after) && before.mode === after.mode ? 'unchanged' : 'modified';
}
