import { expect, it } from 'vitest';
import { parseCursor } from './stream-cursor.ts';

it('takes numbers up to the end of the log', () => {
  expect(parseCursor('0', 0)).toEqual({ kind: 'after', seq: 0 });
  expect(parseCursor('7', 7)).toEqual({ kind: 'after', seq: 7 });
  expect(parseCursor(undefined, 7)).toEqual({ kind: 'none' });
  expect(parseCursor('', 7)).toEqual({ kind: 'none' });
});

it.each(['8', '-1', '1.5', '1e3', ' 1', 'task_1:3', 'NaN', '9'.repeat(40), '\u0661'])(
  'finds %s unusable and says why',
  (text) => {
    expect(parseCursor(text, 7)).toEqual({ kind: 'unusable', reason: expect.any(String) });
  },
);
