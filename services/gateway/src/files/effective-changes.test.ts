import type { FileChange } from '@loom/db/file-changes/file-change';
import { expect, it } from 'vitest';
import { effectiveChanges, settleChanges } from './effective-changes.ts';
import { change, revert, version } from './test-support/changes.ts';

const settle = (history: FileChange[], disk: string) => settleChanges(history, version(disk));
const effective = (history: FileChange[], disk: string) =>
  effectiveChanges(settle(history, disk)).map(({ place }) => place);

it('takes what a cut-off call left from the next change, or from the disk', () => {
  const history = [change(1, '->'), change(2, 'x>')];
  const settled = settle(history, 'y');
  expect(settled.map(({ after, happened }) => [after?.hash, happened])).toEqual([
    ['x', true],
    ['y', true],
  ]);
  expect(settle([change(1, 'x>')], 'x')[0]?.happened).toBe(false);
});

it.each([
  ['nothing undone', [change(1, '->x'), change(2, 'x>y')], 'y', [1, 2]],
  ['all undone', [change(1, '->x'), change(2, 'x>y'), revert(3, 'y>-', 1)], '-', []],
  ['the end undone', [change(1, '->x'), change(2, 'x>y'), revert(3, 'y>x', 2)], 'x', [1]],
  [
    'what was undone is back',
    [change(1, '->x'), change(2, 'x>y'), revert(3, 'y>x', 2), revert(4, 'x>y', 3)],
    'y',
    [1, 2],
  ],
  ['goes on after a revert', [change(1, '->x'), revert(2, 'x>-', 1), change(3, '->z')], 'z', [3]],
  [
    'equal contents do not confuse it',
    [change(1, 'x>y'), change(2, 'y>x'), change(3, 'x>y'), revert(4, 'y>x', 3)],
    'x',
    [1, 2],
  ],
  ['a revert was cut off after its write', [change(1, '->x'), revert(2, 'x>', 1)], '-', []],
  ['a revert was cut off before its write', [change(1, '->x'), revert(2, 'x>', 1)], 'x', [1]],
])('%s', (_, history, disk, places) => {
  expect(effective(history, disk)).toEqual(places);
});
