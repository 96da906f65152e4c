import type { FileChange } from '@loom/db/file-changes/file-change';
import { findKept } from '@loom/db/file-changes/kept-content';
import { groupByPath, listChanges, loadHistories } from '@loom/db/file-changes/list-changes';
import { type ChangingTask, loadChangingTask } from '@loom/db/file-changes/load-changing-task';
import { toWorkspacePath } from '@loom/tools/confined/confined-path';
import { notFound } from '../route.ts';
import { type DiskFile, readDiskFiles } from './disk-file.ts';
import { isInScope, type RevertScope } from './revert-scope.ts';

type Client = Parameters<typeof listChanges>[0];

/** The changes of a task that are meant. */
export interface ChosenChanges {
  task: ChangingTask;
  scope: RevertScope;
  /** Null when no file was changed: then nobody needs to know where. */
  workspace: string | null;
  /** By path, in the order of the paths. */
  changes: Map<string, FileChange[]>;
}

/** What is to be known of some of these files to judge them. */
export interface FileView {
  histories: Map<string, FileChange[]>;
  disk: Map<string, DiskFile>;
  isKept: (hash: string) => boolean;
}

/** Reads the changes that are meant; 404 for a task, subtask, revert or file that is not there. */
export async function readChosen(client: Client, asked: RevertScope): Promise<ChosenChanges> {
  const task = await loadChangingTask(client, asked);
  if (task === null) throw notFound('task');
  const all = await listChanges(client, asked.tenant_id, { task_id: task.id });
  const workspace = all[0]?.workspace ?? task.workspace;
  const { path } = asked;
  const named = path !== undefined && workspace !== null ? toWorkspacePath(workspace, path) : path;
  const scope = named === undefined ? asked : { ...asked, path: named };
  requireKnownSubtask(task, scope, all);
  const chosen = all
    .filter((change) => change.workspace === workspace && isInScope(scope, change))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.place - b.place));
  if (chosen.length === 0 && scope.path !== undefined) throw notFound('file among the changes');
  if (chosen.length === 0 && scope.revert_id !== undefined) throw notFound('revert');
  return { task, scope, workspace, changes: groupByPath(chosen) };
}

function requireKnownSubtask(
  task: ChangingTask,
  { subtask_id }: RevertScope,
  changes: readonly FileChange[],
): void {
  if (subtask_id === undefined) return;
  const isPlanned = task.subtasks.some(({ id }) => id === subtask_id);
  // One that a later plan left out may have changed files all the same.
  if (isPlanned || changes.some((change) => change.subtask_id === subtask_id)) return;
  throw notFound('subtask');
}

/** Reads everything that the judgement of these files rests on. */
export async function readView(
  client: Client,
  { scope, workspace }: Pick<ChosenChanges, 'scope' | 'workspace'>,
  paths: readonly string[],
): Promise<FileView> {
  if (workspace === null || paths.length === 0) {
    return { histories: new Map(), disk: new Map(), isKept: () => false };
  }
  const histories = await loadHistories(client, workspace, paths);
  const hashes = [...histories.values()].flat().flatMap(({ before }) => before?.hash ?? []);
  const kept = await findKept(client, scope.tenant_id, [...new Set(hashes)]);
  const disk = await readDiskFiles(workspace, paths);
  return { histories, disk, isKept: (hash) => kept.has(hash) };
}
