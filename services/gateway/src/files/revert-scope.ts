import type { FileChange } from '@loom/db/file-changes/file-change';
import type { SettledChange } from './effective-changes.ts';

/** Which changes of a task are meant. */
export interface RevertScope {
  tenant_id: string;
  task_id: string;
  /** Only those of this file. */
  path?: string;
  /** Only those of this subtask. */
  subtask_id?: string;
  /** Only those that this revert made. */
  revert_id?: string;
}

/** Whether a change of the task is meant. */
export function isInScope(scope: RevertScope, change: FileChange): boolean {
  const { tenant_id, task_id, path, subtask_id, revert_id } = scope;
  return (
    change.tenant_id === tenant_id &&
    change.task_id === task_id &&
    (path === undefined || change.path === path) &&
    (subtask_id === undefined || change.subtask_id === subtask_id) &&
    (revert_id === undefined || change.unit_id === revert_id)
  );
}

/** The changes of one file to be undone, oldest first: what is undone already does not count. */
export function chooseChanges(
  scope: RevertScope,
  settled: readonly SettledChange[],
  effective: readonly SettledChange[],
): SettledChange[] {
  // A revert takes itself out of what counts, so it is looked for among all.
  const among = scope.revert_id === undefined ? effective : settled;
  return among.filter((change) => change.happened && isInScope(scope, change));
}
