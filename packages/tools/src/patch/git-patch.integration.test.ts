import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../test-workspace.ts';
import { type FileInPatch, gitPatch } from './git-patch.ts';

const file = (content: string | Buffer, mode = 0o644): FileInPatch => ({
  mode,
  content: Buffer.from(content),
});

const lines = (count: number, word: string) =>
  Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');

it.each<[string, FileInPatch | null, FileInPatch | null]>([
  ['created', null, file('one\ntwo\n')],
  ['deleted', file('one\ntwo\n'), null],
  ['created empty', null, file('')],
  ['deleted empty', file(''), null],
  ['emptied', file('one\n'), file('')],
  ['filled', file(''), file('one\n')],
  ['changed', file(lines(30, 'a')), file(`${lines(12, 'a')}new\n${lines(30, 'a')}`)],
  ['without a line feed at the end', file('one\ntwo'), file('one\ntwo\nthree')],
  ['with CRLF', file('one\r\ntwo\r\nthree\r\n'), file('one\r\n2\r\nthree\r\n')],
  ['with a mark at the beginning', file('\ufeffone\n'), file('\ufefftwo\n')],
  ['made to run', file('one\n'), file('one\n', 0o755)],
  ['made to run and changed', file('one\n'), file('two\n', 0o755)],
  ['created to run', null, file('one\n', 0o755)],
  ['created without a line feed', null, file('one\ntwo')],
  ['deleted without a line feed', file('one\r\ntwo'), null],
  ['replaced whole', file(lines(3_000, 'old')), file(lines(3_000, 'new'))],
])('git applies a file %s', async (_, before, after) => {
  const directory = await temporaryDirectory();
  const name = 'a b/ü "x".txt';
  const path = join(directory, name);
  await execa('mkdir', ['-p', join(directory, 'a b')]);
  if (before !== null) {
    await writeFile(path, before.content ?? '');
    await chmod(path, before.mode);
  }
  const patch = `# other.bin is a binary file\n${gitPatch(name, before, after)}# more\n`;
  await execa('git', ['apply', '--whitespace=nowarn', '-'], { cwd: directory, input: patch });
  const found = await readFile(path).catch(() => null);
  expect(found?.toString()).toBe(after?.content?.toString());
  const isRunnable = ((await stat(path).catch(() => null))?.mode ?? 0) & 0o100;
  expect(isRunnable).toBe((after?.mode ?? 0) & 0o100);
});

it.each([
  [file(Buffer.from([1, 0, 2])), '# a is a binary file\n'],
  [file(Buffer.from([0xff, 0x41])), '# a is not UTF-8 text\n'],
  [file('x'.repeat(1024 * 1024 + 1)), '# a is too large to be shown as a diff\n'],
  [{ mode: 0o644, content: null }, '# a has content that is not kept any more\n'],
])('says in a line what cannot be shown', (side, line) => {
  expect(gitPatch('a', side, file('x'))).toBe(line);
  expect(gitPatch('a', null, side)).toBe(line);
});

it('keeps a name with a line feed in its line', () => {
  expect(gitPatch('a\ndiff --git x y', { mode: 0o644, content: null }, null)).toBe(
    '# a?diff --git x y has content that is not kept any more\n',
  );
});
