import type { FileVersion } from '@loom/shared/tool';
import { toIso } from '../read/row-values.ts';
import type { ChangeOwner } from './open-changes.ts';

/** The name under which reverts stand among the tools that change files. */
export const revertTool = 'revert';

/** What one call did to one file. */
export interface FileChange extends ChangeOwner {
  /** Its place in the order of all changes. */
  place: number;
  call_key: string;
  path: string;
  workspace: string;
  tool: string;
  before: FileVersion | null;
  /** Only meaningful once the change is done. */
  after: FileVersion | null;
  /** `open`: the call has not come to an end, or nobody knows how. */
  status: 'open' | 'done';
  /** It is open, and the work that it belongs to is not over. */
  running: boolean;
  /** Of a revert: the place of the first change that it undoes. */
  undoes: number | null;
  at: string;
}

/** A change as its columns give it. */
export interface FileChangeRow extends Omit<FileChange, 'before' | 'after' | 'undoes' | 'at'> {
  before_hash: string | null;
  before_size: number | null;
  before_mode: number | null;
  after_hash: string | null;
  after_size: number | null;
  after_mode: number | null;
  changed_at: Date;
}

/** The columns of a change, of the table `f`. */
export const fileChangeColumns = `f.place, f.call_key, f.path, f.tenant_id, f.unit_id, f.task_id, f.subtask_id,
  f.attempt, f.session_id, f.turn_id, f.workspace, f.tool, f.before_hash, f.before_size, f.before_mode,
  f.after_hash, f.after_size, f.after_mode, f.status, f.changed_at,
  f.status = 'open' AND EXISTS (SELECT 1 FROM units u
    WHERE u.id = f.unit_id AND u.status IN ('waiting', 'claimed', 'parked')) AS running`;

/** The key of a revert's change: it names the first change that is undone. */
export function revertKey(revertId: string, place: number): string {
  return `${revertId}/${place}`;
}

/** A row as the change that it stands for. */
export function toFileChange(row: FileChangeRow): FileChange {
  const { before_hash, before_size, before_mode, after_hash, after_size, after_mode, ...rest } =
    row;
  const { changed_at, ...same } = rest;
  return {
    ...same,
    before: toVersion(before_hash, before_size, before_mode),
    after: toVersion(after_hash, after_size, after_mode),
    undoes: row.tool === revertTool ? Number(row.call_key.split('/').at(-1)) : null,
    at: toIso(changed_at),
  };
}

function toVersion(
  hash: string | null,
  size: number | null,
  mode: number | null,
): FileVersion | null {
  return hash === null ? null : { hash, size: size ?? 0, mode: mode ?? 0o644 };
}
