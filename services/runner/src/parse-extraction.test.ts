import { describe, expect, it } from 'vitest';
import { parseExtraction } from './parse-extraction.ts';

const answer = (...entries: unknown[]) => JSON.stringify({ entries });
const entry = { type: 'decision', summary: 'Use tabs.' };

describe('parseExtraction', () => {
  it('reads entries, fenced and with prose around them', () => {
    const text = `Here:\n\`\`\`json\n${answer({ ...entry, detail: ' why ', tags: ['style'] })}\n\`\`\``;
    expect(parseExtraction(text, 8)).toEqual([{ ...entry, detail: 'why', tags: ['style'] }]);
  });

  it('reads a list without the object around it', () => {
    const text = `Here: ${JSON.stringify([{ ...entry, tags: ['a'] }, 'x'])}`;
    expect(parseExtraction(text, 8)).toEqual([{ ...entry, detail: '', tags: ['a'] }]);
    expect(parseExtraction('[]', 8)).toEqual([]);
    expect(parseExtraction('[see above]', 8)).toBeNull();
  });

  it('tells an empty list from none', () => {
    expect(parseExtraction('{"entries": []}', 8)).toEqual([]);
    expect(parseExtraction('Nothing worth noting.', 8)).toBeNull();
    expect(parseExtraction('{"notes": []}', 8)).toBeNull();
    expect(parseExtraction('{"entries": "none"}', 8)).toBeNull();
  });

  it.each([
    ['no type', { summary: 'x' }],
    ['an unknown type', { type: 'gossip', summary: 'x' }],
    ['no summary', { type: 'error' }],
    ['a blank summary', { type: 'error', summary: ' \n' }],
    ['a string', 'x'],
    ['null', null],
  ])('drops %s and keeps the rest', (_, broken) => {
    expect(parseExtraction(answer(broken, entry), 8)).toEqual([{ ...entry, detail: '', tags: [] }]);
  });

  it('forgives what is wrong beside type and summary', () => {
    const odd = { type: ' Decision ', summary: 'Use\n tabs.', detail: 7, tags: ['a', 1, 'a', ' '] };
    expect(parseExtraction(answer(odd), 8)).toEqual([{ ...entry, detail: '', tags: ['a'] }]);
    expect(parseExtraction(answer({ ...entry, tags: 'a' }), 8)).toMatchObject([{ tags: [] }]);
  });

  it('keeps at most so many, each once', () => {
    const many = Array.from({ length: 9 }, (_, index) => ({
      type: 'context',
      summary: `${index}`,
    }));
    const kept = parseExtraction(answer(entry, entry, ...many), 4);
    expect(kept?.map(({ summary }) => summary)).toEqual(['Use tabs.', '0', '1', '2']);
  });

  it('cuts a long summary at a word, and a long word anywhere', () => {
    const [words] = parseExtraction(answer({ ...entry, summary: 'word '.repeat(60) }), 8) ?? [];
    expect(words?.summary).toBe(`${'word '.repeat(30).trimEnd()}…`);
    expect(words?.summary.length).toBeLessThanOrEqual(150);
    const [one] = parseExtraction(answer({ ...entry, summary: 'x'.repeat(400) }), 8) ?? [];
    expect(one?.summary).toBe(`${'x'.repeat(149)}…`);
    const exact = 'y'.repeat(150);
    expect(parseExtraction(answer({ ...entry, summary: exact }), 8)?.[0]?.summary).toBe(exact);
  });

  it('bounds detail and tags', () => {
    const tags = Array.from({ length: 20 }, (_, index) => `${index}${'t'.repeat(60)}`);
    const [kept] = parseExtraction(answer({ ...entry, detail: 'd'.repeat(9_000), tags }), 8) ?? [];
    expect(kept?.detail).toHaveLength(2_000);
    expect(kept?.tags).toHaveLength(8);
    expect(kept?.tags[0]).toHaveLength(40);
  });

  it('gives only what the database can keep', () => {
    const [kept] =
      parseExtraction(answer({ ...entry, summary: 'a\u0000b\uD800', detail: '\u0000' }), 8) ?? [];
    expect(kept).toMatchObject({ summary: 'a\uFFFDb\uFFFD', detail: '\uFFFD' });
  });
});
