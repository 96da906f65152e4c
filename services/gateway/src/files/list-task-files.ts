import type { FileChange } from '@loom/db/file-changes/file-change';
import { type ChosenChanges, type FileView, readChosen, readView } from './change-view.ts';
import { versionOf } from './disk-file.ts';
import { settleChanges } from './effective-changes.ts';
import { planRevert } from './plan-revert.ts';
import { isInScope, type RevertScope } from './revert-scope.ts';
import { stillRunning } from './still-running.ts';
import { type FileStatus, sumChanges } from './sum-changes.ts';

type Client = Parameters<typeof readChosen>[0];

/** One file that a task changed. */
export interface ChangedFile {
  path: string;
  status: FileStatus;
  before_hash: string | null;
  after_hash: string | null;
  before_size: number | null;
  after_size: number | null;
  changes: Pick<FileChange, 'call_key' | 'tool' | 'subtask_id' | 'attempt' | 'at' | 'status'>[];
  revertible: boolean;
  /** Why it cannot be put back, or why there is nothing to put back. */
  reason: string | null;
}

/** A part of the files that a task changed, by path, and how many there are. */
export async function listTaskFiles(
  client: Client,
  scope: RevertScope,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: ChangedFile[]; total: number }> {
  const chosen = await readChosen(client, scope);
  const paths = [...chosen.changes.keys()].slice(offset, offset + limit);
  const view = await readView(client, chosen, paths);
  return {
    items: paths.map((path) => describeFile(chosen, view, path)),
    total: chosen.changes.size,
  };
}

function describeFile(
  { task, scope }: ChosenChanges,
  { histories, disk, isKept }: FileView,
  path: string,
): ChangedFile {
  const history = histories.get(path) ?? [];
  const now = disk.get(path) ?? { kind: 'none' };
  const own = settleChanges(history, versionOf(now)).filter((change) => isInScope(scope, change));
  const { status, before, after } = sumChanges(own);
  const verdict = planRevert(scope, { path, history, disk: now }, isKept);
  const reason =
    stillRunning(task, scope.subtask_id) ??
    (verdict.kind === 'conflict' ? verdict.reason : null) ??
    (verdict.kind === 'unchanged' ? 'nothing of the change is left to be undone' : null);
  return {
    path,
    status,
    before_hash: before?.hash ?? null,
    after_hash: after?.hash ?? null,
    before_size: before?.size ?? null,
    after_size: after?.size ?? null,
    changes: own.map(({ call_key, tool, subtask_id, attempt, at, status: state }) => ({
      call_key,
      tool,
      subtask_id,
      attempt,
      at,
      status: state,
    })),
    revertible: reason === null,
    reason,
  };
}
