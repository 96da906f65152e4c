import type pg from 'pg';
import {
  type FileChange,
  type FileChangeRow,
  fileChangeColumns,
  toFileChange,
} from './file-change.ts';

/** Whose changes are meant: a task's, with all its subtasks, or a turn's own. */
export type ChangeScope = { task_id: string } | { turn_id: string };

/** What a task or a turn did to files, oldest first. */
export async function listChanges(
  client: pg.ClientBase | pg.Pool,
  tenantId: string,
  scope: ChangeScope,
): Promise<FileChange[]> {
  const [column, id] = 'task_id' in scope ? ['task_id', scope.task_id] : ['turn_id', scope.turn_id];
  const { rows } = await client.query<FileChangeRow>({
    name: `list-changes-by-${column}`,
    text: `SELECT ${fileChangeColumns} FROM file_changes f
      WHERE f.${column} = $1 AND f.tenant_id = $2 ORDER BY f.place`,
    values: [id, tenantId],
  });
  return rows.map(toFileChange);
}

/**
 * Everything that ever changed these files of a workspace, oldest first, by path. Workspaces may be
 * shared, so this is of all tenants: whoever shows it must not name what belongs to others.
 */
export async function loadHistories(
  client: pg.ClientBase | pg.Pool,
  workspace: string,
  paths: readonly string[],
): Promise<Map<string, FileChange[]>> {
  const { rows } = await client.query<FileChangeRow>({
    name: 'load-file-histories',
    text: `SELECT ${fileChangeColumns} FROM file_changes f
      WHERE f.workspace = $1 AND f.path = ANY($2) ORDER BY f.path, f.place`,
    values: [workspace, paths],
  });
  return groupByPath(rows.map(toFileChange));
}

/** Changes by their files; both keep their order. */
export function groupByPath(changes: readonly FileChange[]): Map<string, FileChange[]> {
  const groups = new Map<string, FileChange[]>();
  for (const change of changes) {
    const group = groups.get(change.path);
    if (group === undefined) groups.set(change.path, [change]);
    else group.push(change);
  }
  return groups;
}
