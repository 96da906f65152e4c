import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortenOutput } from './shorten-output.ts';

const key = 'task_1.a.1/4/0';

test('a short output stays as it is', () => {
  expect(shortenOutput('x'.repeat(1_600), key, 'soft')).toBe('x'.repeat(1_600));
  expect(shortenOutput('x'.repeat(500), key, 'hard')).toBe('x'.repeat(500));
});

test('a long one is shown by beginning and end, with what its middle refers to', () => {
  const middle = `see src/deep/file.ts and af_abc123\n${'.'.repeat(5_000)}\naf_def456 af_abc123`;
  const text = `exit code 1\n${'h'.repeat(700)}\n${middle}\n${'t'.repeat(300)}`;
  const short = shortenOutput(text, key, 'soft');
  expect(short.startsWith('exit code 1\nhhh')).toBe(true);
  expect(short.endsWith('ttt')).toBe(true);
  expect(short).toContain(
    `characters cut; the full text is in the journal (call ${key}); it names af_abc123, af_def456, src/deep/file.ts`,
  );
  expect(short.length).toBeLessThan(1_600);
});

test('cut hard, it still tells the exit code and every artifact', () => {
  const text = `${'h'.repeat(3_000)}\nexit code 127\naf_one af_two`;
  const short = shortenOutput(text, key, 'hard');
  expect(short.length).toBeLessThanOrEqual(500);
  expect(short).toContain('af_one, af_two, exit code 127');
});

test('whatever the output is: never longer, well formed, and the same when done twice', () => {
  const text = fc
    .array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.constant('af_1 a/b/c ')), {
      maxLength: 40,
    })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.constantFrom('soft' as const, 'hard' as const), (given, form) => {
      const once = shortenOutput(given, key, form);
      expect(once.length).toBeLessThanOrEqual(given.length);
      expect(once.isWellFormed()).toBe(true);
      expect(shortenOutput(once, key, form)).toBe(once);
    }),
  );
});

test('a run of letters without an end is walked through once', () => {
  const text = 'a'.repeat(2_000_000);
  expect(shortenOutput(text, key, 'soft').length).toBeLessThan(1_600);
});
