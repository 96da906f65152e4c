import type { FileBefore } from '@loom/shared/tool';
import type { ClaimedUnit } from '@loom/shared/work';
import type pg from 'pg';
import { workspaceLock } from './workspace-lock.ts';

/** Who changes files, for whom. */
export type ChangeOwner = Pick<
  ClaimedUnit,
  'tenant_id' | 'unit_id' | 'task_id' | 'subtask_id' | 'attempt' | 'session_id' | 'turn_id'
>;

/** The call that is about to change files, and where. */
export interface ChangingCall {
  unit: ChangeOwner;
  call_key: string;
  tool: string;
  workspace: string;
}

/**
 * Writes down how files are before a call changes them; what it said first about a path stands.
 * Waits while a revert is under way in the workspace, so that the two do not mix.
 */
export async function openChanges(
  client: pg.ClientBase | pg.Pool,
  { unit, call_key, tool, workspace }: ChangingCall,
  files: readonly FileBefore[],
): Promise<void> {
  if (files.length === 0) return;
  const { tenant_id, unit_id, task_id, subtask_id, attempt, session_id, turn_id } = unit;
  const kept = files.flatMap(({ before }) =>
    before === null || before.content === null ? [] : [{ ...before, content: before.content }],
  );
  const rows = files.map(({ path, before }) => ({
    path,
    hash: before?.hash ?? null,
    size: before?.size ?? null,
    mode: before?.mode ?? null,
    kept: before === null || before.content !== null,
  }));
  await client.query({
    name: 'open-changes',
    text: `WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(hashtextextended($14, 0))),
      opened AS (
        INSERT INTO file_changes (call_key, path, tenant_id, unit_id, task_id, subtask_id, attempt, session_id,
          turn_id, workspace, tool, before_hash, before_size, before_mode, before_kept)
        SELECT $4, path, $1, $5, $6, $7, $8, $9, $10, $11, $12, hash, size, mode, kept
        FROM turn, jsonb_to_recordset($13::jsonb) AS r(path text, hash text, size bigint, mode int, kept boolean)
        ON CONFLICT DO NOTHING RETURNING before_hash)
      INSERT INTO blobs (tenant_id, hash, size, content)
      SELECT DISTINCT ON (hash) $1, hash, length(content), content
      FROM unnest($2::text[], $3::bytea[]) AS r(hash, content)
      WHERE hash IN (SELECT before_hash FROM opened)
      ON CONFLICT DO NOTHING`,
    values: [
      tenant_id,
      kept.map(({ hash }) => hash),
      kept.map(({ content }) => content),
      ...[call_key, unit_id, task_id, subtask_id, attempt, session_id, turn_id, workspace, tool],
      JSON.stringify(rows),
      workspaceLock(workspace),
    ],
  });
}
