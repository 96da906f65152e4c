import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText, firstLine, isStorableText, toStorableJson, toStorableText } from './text.ts';

test.each([
  ['one line', 'hello', 80, 'hello'],
  ['the first of many', '  hello \nworld', 80, 'hello '],
  ['cut', 'abcdef', 4, 'abc…'],
  ['exactly as long', 'abcd', 4, 'abcd'],
  ['cut before a character that does not fit', 'ab😀😀', 4, 'ab…'],
  ['nothing', '', 4, ''],
])('first line: %s', (_name, text, max, expected) => {
  expect(firstLine(text, max)).toBe(expected);
});

test('cutting keeps text storable and within its length', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', '😀', 'ö', '\n') });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 12 }), (text, max) => {
      for (const cut of [firstLine(text, max), cutText(text, max)]) {
        expect(cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(max);
      }
      expect(text.startsWith(cutText(text, max))).toBe(true);
      // At most half a character is lost.
      expect(cutText(text, max).length).toBeGreaterThanOrEqual(Math.min(text.length, max - 1));
    }),
  );
});

test('whatever comes in becomes storable, and what is storable stays as it is', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'ö', '\u0000', '\uD83D', '\uDE00') });
  fc.assert(
    fc.property(texts, (text) => {
      const stored = toStorableText(text);
      expect(isStorableText(stored)).toBe(true);
      expect(stored).toHaveLength(text.length);
      if (isStorableText(text)) expect(stored).toBe(text);
    }),
  );
  expect(toStorableJson({ 'a\u0000': ['\uD800', 1, null, { b: true }] })).toEqual({
    'a\uFFFD': ['\uFFFD', 1, null, { b: true }],
  });
});
