import type { FileChange } from '@loom/db/file-changes/file-change';
import { describe, expect, it } from 'vitest';
import type { DiskFile } from './disk-file.ts';
import { planRevert } from './plan-revert.ts';
import type { RevertScope } from './revert-scope.ts';
import { change, revert, version } from './test-support/changes.ts';

const task = { tenant_id: 'default', task_id: 't' };
const other = { task_id: 'other', subtask_id: 'x' };

function plan(
  history: FileChange[],
  disk: string | DiskFile,
  { scope = task, lost = '' }: { scope?: RevertScope; lost?: string } = {},
) {
  const found = typeof disk === 'string' ? version(disk) : null;
  const file: DiskFile =
    typeof disk !== 'string'
      ? disk
      : found === null
        ? { kind: 'none' }
        : { kind: 'file', version: found };
  const isKept = (hash: string) => hash !== lost;
  const verdict = planRevert(scope, { path: 'a.txt', history, disk: file }, isKept);
  if (verdict.kind === 'conflict') return verdict.reason;
  if (verdict.kind === 'unchanged') return verdict.kind;
  const { target, undone } = verdict.step;
  return [target?.hash ?? '-', ...undone.map(({ place }) => place)];
}

describe('undoes', () => {
  it.each([
    ['a created file', [change(1, '->x')], 'x', ['-', 1]],
    ['a deleted file', [change(1, 'x>-')], '-', ['x', 1]],
    ['several changes at once', [change(1, 'x>y'), change(2, 'y>z')], 'z', ['x', 1, 2]],
    ['what came after others', [change(1, '->x', other), change(2, 'x>y')], 'y', ['x', 2]],
    ['a cut-off change that the disk shows', [change(1, 'x>')], 'y', ['x', 1]],
    [
      'what came before someone whose change was undone',
      [change(1, 'x>y'), change(2, 'y>z', other), revert(3, 'z>y', 2)],
      'y',
      ['x', 1],
    ],
    ['two calls that began at once', [change(1, 'x>y'), change(2, 'x>z')], 'z', ['x', 1, 2]],
  ])('%s', (_, history, disk, outcome) => {
    expect(plan(history, disk)).toEqual(outcome);
  });

  it('one subtask alone', () => {
    const history = [change(1, 'x>y'), change(2, 'y>z', { subtask_id: 'later' })];
    expect(plan(history, 'z', { scope: { ...task, subtask_id: 'later' } })).toEqual(['y', 2]);
  });

  it('a revert', () => {
    const history = [change(1, 'x>y'), revert(2, 'y>x', 1)];
    expect(plan(history, 'x', { scope: { ...task, revert_id: 'rev_2' } })).toEqual(['y', 2]);
  });
});

describe('leaves alone', () => {
  it.each([
    ['what is as it was', [change(1, 'x>y')], 'x'],
    ['what others have set right', [change(1, 'x>y'), change(2, 'y>x', other)], 'x'],
    ['what is undone', [change(1, 'x>y'), revert(2, 'y>x', 1)], 'z'],
    ['what was cut off before it began', [change(1, 'x>')], 'x'],
    ['what only others changed', [change(1, 'x>y', other)], 'y'],
  ])('%s', (_, history, disk) => {
    expect(plan(history, disk)).toBe('unchanged');
  });
});

describe('refuses to lose', () => {
  const mine = change(1, 'x>y');
  it.each([
    ['a subtask', change(2, 'y>z', { subtask_id: 'b' }), 'it was changed later by subtask b'],
    ['a task', change(2, 'y>z', other), 'it was changed later by task other'],
    [
      'a turn',
      change(2, 'y>z', { task_id: null, subtask_id: null, turn_id: 'turn_1' }),
      'it was changed later by turn turn_1',
    ],
    [
      'another tenant, without naming it',
      change(2, 'y>z', { tenant_id: 'b', task_id: 'secret' }),
      'it was changed later by someone else',
    ],
    ['one who wrote the same', change(2, 'y>y', other), 'it was changed later by task other'],
  ])('what was written by %s', (_, later, reason) => {
    const scope = { ...task, subtask_id: 's' };
    expect(plan([mine, later], later.after?.hash ?? '-', { scope })).toBe(reason);
  });

  it.each<[string, FileChange[], string | DiskFile, string]>([
    ['the disk', [mine], 'z', 'it was changed later, outside Loom'],
    ['a removal', [mine], '-', 'it was removed later, outside Loom'],
    ['a directory', [mine], { kind: 'directory' }, 'a directory is in its place now'],
    ['a link', [mine], { kind: 'refused', reason: 'a link' }, 'a link'],
    [
      'an edit by hand between two calls',
      [mine, change(2, 'by hand>z')],
      'z',
      'it was changed in between, outside Loom',
    ],
    [
      'a call under way',
      [mine, change(2, 'y>', { ...other, running: true })],
      'y',
      'a call that is not over may still be changing it',
    ],
  ])('%s', (_, history, disk, reason) => {
    expect(plan(history, disk)).toBe(reason);
  });

  it('says when the earlier content is gone, unless it is not needed', () => {
    const gone = 'its earlier content was too large to be kept';
    expect(plan([mine], 'y', { lost: 'x' })).toBe(gone);
    expect(plan([mine], 'x', { lost: 'x' })).toBe('unchanged');
  });
});

describe('permissions', () => {
  const run = (disk: number, after: number) => {
    const history = [change(1, 'x>y', { after: version('y', after) })];
    const file: DiskFile = { kind: 'file', version: { hash: 'y', size: 1, mode: disk } };
    const verdict = planRevert(task, { path: 'a.txt', history, disk: file }, () => true);
    return verdict.kind === 'step' ? verdict.step.target?.mode : null;
  };

  it('come back with the content, but what someone set later stays', () => {
    expect(run(0o755, 0o755)).toBe(0o644);
    expect(run(0o700, 0o755)).toBe(0o700);
  });

  it('come back alone', () => {
    const history = [change(1, 'x>x', { after: version('x', 0o755) })];
    const file: DiskFile = { kind: 'file', version: { hash: 'x', size: 1, mode: 0o755 } };
    const verdict = planRevert(task, { path: 'a.txt', history, disk: file }, () => false);
    expect(verdict).toMatchObject({ kind: 'step', step: { target: { hash: 'x', mode: 0o644 } } });
  });
});
