import { toStorableText } from '@loom/shared/text';
import { expect, it } from 'vitest';
import { createDeltaCleaner } from './delta-cleaner.ts';

function clean(pieces: string[]) {
  const out: string[] = [];
  const cleaner = createDeltaCleaner((text) => out.push(text));
  for (const piece of pieces) cleaner.push(piece);
  cleaner.end();
  return out;
}

it('keeps a pair together that arrives in two pieces', () => {
  expect(clean(['a\ud83d', '\ude00b'])).toEqual(['a', '😀b']);
});

it.each([
  [['\ud83d', 'x']],
  [['a\ud83d']],
  [['\ude00', '\u0000', '']],
  [['\ud83d', '\ud83d', '\ude00']],
])('pieces %j make the storable whole', (pieces) => {
  expect(clean(pieces).join('')).toBe(toStorableText(pieces.join('')));
});
