import { describe, expect, it } from 'vitest';
import { parseSearchQuery } from './search-query.ts';
import { spellingVariants } from './spelling-variants.ts';
import { wholePattern } from './whole-pattern.ts';

const termsOf = (text: string) => parseSearchQuery(text).terms;

describe('a search text', () => {
  it('loses the punctuation around words, not inside identifiers', () => {
    expect(termsOf('("Deploy!") src/db/pool.ts, deploy').map(({ text }) => text)).toEqual([
      'deploy',
      'src/db/pool.ts',
    ]);
    expect(termsOf('-> !!')).toEqual([]);
  });

  it.each([
    ['fooBar', ['foobar', 'foo bar']],
    ['foo_bar', ['foo_bar', 'foo bar', 'foobar']],
    ['v1.2.3', ['v1.2.3', 'v1 2 3', '1.2.3']],
    ['1.2.3', ['1.2.3', '1 2 3', 'v1.2.3']],
    ['word', ['word']],
  ])('knows %s in other hands', (text, forms) => {
    expect(termsOf(text)[0]?.forms).toEqual(forms);
  });

  it('finds words where no spaces are', () => {
    const texts = termsOf('数据库的日志 Redis缓存').map(({ text }) => text);
    expect(texts).toEqual(['数据库', '日志', 'redis', '缓存']);
  });
});

describe('spelling variants', () => {
  it.each(['deploymnt', 'deploymment', 'deplyoment', 'deploxment'])(
    'of %s hold the word',
    (typo) => {
      expect(spellingVariants(typo)).toContain('deployment');
      expect(spellingVariants(typo)).not.toContain(typo);
    },
  );

  it.each(['e4012x', 'four', 'a'.repeat(30)])('of %s: none', (word) => {
    expect(spellingVariants(word)).toEqual([]);
  });
});

it.each([
  ['2.4.1', '(?<![[:alnum:]])(?<![0-9][.,])2\\.4\\.1(?![[:alnum:]])(?![.,][0-9])'],
  ['c++', '(?<![[:alpha:]])c\\+\\+'],
  ['数据', '数据'],
])('looks for the whole of %s', (text, pattern) => {
  expect(wholePattern(text)).toBe(pattern);
});
