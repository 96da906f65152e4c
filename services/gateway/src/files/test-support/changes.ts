import type { FileChange } from '@loom/db/file-changes/file-change';
import type { FileVersion } from '@loom/shared/tool';

/** A version that is known by a letter; `-` is no file. */
export function version(name: string, mode = 0o644): FileVersion | null {
  return name === '-' ? null : { hash: name, size: 1, mode };
}

/** A change of `a.txt` by task `t`, subtask `s`, such as `x>y`; an open one has no end, `x>`. */
export function change(place: number, way: string, more: Partial<FileChange> = {}): FileChange {
  const [before = '-', after = ''] = way.split('>');
  return {
    place,
    call_key: `k/${place}`,
    path: 'a.txt',
    tenant_id: 'default',
    unit_id: 'u',
    task_id: 't',
    subtask_id: 's',
    attempt: 1,
    session_id: null,
    turn_id: null,
    workspace: '/w',
    tool: 'write_file',
    before: version(before),
    after: after === '' ? null : version(after),
    status: after === '' ? 'open' : 'done',
    running: false,
    undoes: null,
    at: '2026-01-01T00:00:00.000Z',
    ...more,
  };
}

/** A revert of the same task. */
export function revert(place: number, way: string, undoes: number): FileChange {
  return change(place, way, { tool: 'revert', unit_id: `rev_${place}`, undoes });
}
