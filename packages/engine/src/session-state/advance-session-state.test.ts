import { emptySessionState } from '@loom/shared/session-state';
import { expect, test } from 'vitest';
import { advanceSessionState } from './advance-session-state.ts';

const said = (number: number, content: string) => ({
  number,
  message: { role: 'user' as const, content },
});

test('what waits in a later turn is not passed over', () => {
  const first = said(1, 'Never use tabs.');
  const queued = said(2, 'Always use spaces.');
  const later = said(3, 'go on');
  const { kept, known } = advanceSessionState(emptySessionState, [later, first]);
  expect(kept).toMatchObject({ upto: 1, focus: 'Never use tabs.' });
  expect(known).toMatchObject({ upto: 3, focus: 'go on' });
  const next = advanceSessionState(kept, [first, queued, later]);
  expect(next.kept).toEqual(next.known);
  expect(next.kept.constraints.map(({ text }) => text)).toEqual([
    'Never use tabs.',
    'Always use spaces.',
  ]);
});

test('nothing new changes nothing', () => {
  const { kept } = advanceSessionState(emptySessionState, [said(1, 'hello')]);
  expect(advanceSessionState(kept, [said(1, 'hello')])).toEqual({ kept, known: kept });
});
