import { describe, expect, it } from 'vitest';
import { excerptOf } from './excerpt.ts';
import type { RecallMessage } from './recall-message.ts';
import { renderRecall } from './render-recall.ts';

const message = (over: Partial<RecallMessage>): RecallMessage => ({
  number: 1,
  role: 'user',
  content: '',
  tool_calls: null,
  tool_name: null,
  is_match: true,
  ...over,
});

describe('the text of an answer', () => {
  it('prints who said what, the words indented below', () => {
    const text = renderRecall(
      'Two:',
      [
        message({ number: 12, content: 'one\ntwo' }),
        message({
          number: 13,
          role: 'assistant',
          content: 'ok',
          tool_calls: [{ id: 'c', name: 'read_file', arguments: { path: 'a' } }],
        }),
      ],
      8_000,
    );
    expect(text).toBe(
      'Two:\n\n[Turn 12] user:\n  one\n  two\n\n[Turn 13] assistant:\n  ok\n  -> read_file {"path":"a"}',
    );
  });

  it('cuts tool results first', () => {
    const words = 'w'.repeat(6_000);
    const text = renderRecall(
      'h',
      [
        message({ content: words }),
        message({ number: 2, role: 'tool', content: 't'.repeat(9_000) }),
      ],
      2_000,
    );
    expect(text).toContain(words);
    expect(text).toContain('… (cut)');
    expect(text.length).toBeLessThanOrEqual(8_000);
  });

  it.each([1, 10, 100, 200])('stays within its bound with %i long messages', (count) => {
    const messages = Array.from({ length: count }, (_, i) =>
      message({
        number: i + 1,
        role: i % 2 === 0 ? 'user' : 'tool',
        content: '\n€'.repeat(20_000),
      }),
    );
    const text = renderRecall('h', messages, 8_000);
    expect(text.length).toBeLessThanOrEqual(32_000);
    expect(text).toContain('[Turn 1] user:');
    if (count === 200) expect(text).toMatch(/\(\d+ more not shown/);
  });
});

it('shows an excerpt around what was searched for', () => {
  const content = `${'before '.repeat(100)}the needle is here${' after'.repeat(100)}`;
  expect(excerptOf(content, 'Needle')).toMatch(/^….*the needle is here.*…$/);
  expect(excerptOf(content, null)).toMatch(/^before .*…$/);
  expect(excerptOf('short\n text', 'x')).toBe('short text');
});
