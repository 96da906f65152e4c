import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fencedBlock } from './fenced-block.ts';

test.each([
  ['text', '', '```\ntext\n```'],
  ['{}\n', 'json', '```json\n{}\n```'],
  ['', '', '```\n\n```'],
  ['```\ncode\n```', '', '~~~\n```\ncode\n```\n~~~'],
  ['```\n~~~~', '', '````\n```\n~~~~\n````'],
])('%j stands between fences', (text, language, block) => {
  expect(fencedBlock(text, language)).toBe(block);
});

test('no line of the text closes its block', () => {
  const texts = fc.string({ unit: fc.constantFrom('`', '~', '```', '~~~', '\n', ' ', 'a') });
  fc.assert(
    fc.property(texts, (text) => {
      const lines = fencedBlock(text).split('\n');
      const fence = lines[0] ?? '';
      const closing = lines.findIndex((line, at) => at > 0 && closes(line, fence));
      expect(closing).toBe(lines.length - 1);
      expect(lines.slice(1, -1).join('\n')).toBe(text.replace(/\n$/, ''));
    }),
  );
});

/** The rule of CommonMark: at most three blanks, the same character at least as often, then blanks. */
function closes(line: string, fence: string): boolean {
  const [, run = ''] = /^ {0,3}(`+|~+)\s*$/.exec(line) ?? [];
  return run.startsWith(fence);
}
