import { describe, expect, it } from 'vitest';
import { seenFile } from '../test-support/subject-fixtures.ts';
import { checkSyntax } from './syntax.ts';

const check = async (path: string, content: string | Buffer) =>
  checkSyntax(await seenFile(path, content));

describe('checkSyntax', () => {
  it.each([
    ['a.json', '{"a": [1, 2]}'],
    ['a.JSON', '\uFEFF[]'],
    ['a.yaml', 'a: 1\n---\nb: !custom 2\n'],
    ['a.yml', '- x\n- y\n'],
    ['a.csv', 'a,b\n1,2\n\n"x\ny","3,4"\n'],
    ['semicolons.csv', 'a;b\n1,5;2\n3;4,5\n'],
  ])('passes %s', async (path, content) => {
    expect(await check(path, content)).toMatchObject([
      { name: 'syntax', target: path, passed: true, sha256: expect.any(String) },
    ]);
  });

  it.each([
    ['a.json', '{"a": }', /not valid JSON/],
    ['a.json', '{}{}', /not valid JSON/],
    ['a.yaml', 'a: [1, 2', /not valid YAML/],
    ['a.yml', 'a: 1\n b: 2', /not valid YAML: .*line 1/],
    ['a.csv', 'a,b\n1,2,3\n', /same number of columns.*line 2/],
    ['a.json', Buffer.from([0x22, 0xff, 0x22]), /not valid JSON/],
  ])('fails %s %#', async (path, content, why) => {
    const checks = await check(path, content);
    expect(checks).toMatchObject([{ name: 'syntax', passed: false, advisory: false }]);
    expect(checks[0]?.detail).toMatch(why);
  });

  it.each([
    ['notes.md', '{'],
    ['empty.json', ''],
    ['tsconfig.json', '{ // with a comment\n}'],
  ])('says nothing about %s', async (path, content) => {
    expect(await check(path, content)).toEqual([]);
  });

  it('only warns of a file that is too large to be parsed', async () => {
    expect(await check('big.json', `"${'x'.repeat(1024 * 1024)}"`)).toMatchObject([
      { passed: false, advisory: true, sha256: expect.any(String) },
    ]);
  });
});
