import type { JsonValue } from '@loom/shared/json';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortenArguments } from './shorten-arguments.ts';

test('short arguments stay as they are', () => {
  const value = { path: 'a.md', content: 'x'.repeat(500) };
  expect(shortenArguments(value, 'soft')).toBe(value);
});

test('long texts are cut, the cut is named, and the rest stays', () => {
  const value = { path: 'a.md', content: 'y'.repeat(5_000), edits: [{ old_str: 'z'.repeat(900) }] };
  expect(shortenArguments(value, 'soft')).toEqual({
    path: 'a.md',
    content: `${'y'.repeat(120)}… [4880 characters cut]`,
    edits: [{ old_str: `${'z'.repeat(120)}… [780 characters cut]` }],
  });
  expect(shortenArguments(value, 'hard')).toMatchObject({
    path: 'a.md',
    content: `${'y'.repeat(40)}… [4960 characters cut]`,
  });
});

test('long lists are cut as well', () => {
  const value = { items: Array.from({ length: 300 }, (_, index) => `item ${index}`) };
  expect(shortenArguments(value, 'soft')).toEqual({
    items: ['item 0', 'item 1', 'item 2', 'item 3', '… [296 more items cut]'],
  });
});

test('what has too many parts is shown by its beginning', () => {
  const value = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`key${index}`, 'a short value']),
  );
  expect(shortenArguments(value, 'soft')).toEqual({
    shortened: expect.stringMatching(/^\{"key0":"a short value".*… \[\d+ characters cut\]$/),
  });
  expect(shortenArguments('not an object '.repeat(200), 'hard')).toMatch(/^not an object .*cut\]$/);
});

test('whatever the arguments are: never longer, well formed, and the same when done twice', () => {
  const long = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .map((one) => one.repeat(60));
  const value = fc.letrec<{ any: JsonValue }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 6 },
      long,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 12 }),
      fc.dictionary(fc.string({ maxLength: 8 }), tie('any'), { maxKeys: 8 }),
    ),
  })).any;
  fc.assert(
    fc.property(value, fc.constantFrom('soft' as const, 'hard' as const), (given, form) => {
      const once = shortenArguments(given, form);
      const json = JSON.stringify(once);
      expect(json.length).toBeLessThanOrEqual(JSON.stringify(given).length);
      expect(json.isWellFormed()).toBe(true);
      expect(shortenArguments(once, form)).toEqual(once);
    }),
  );
});
