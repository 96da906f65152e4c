import { createHash } from 'node:crypto';
import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonValue } from '@loom/shared/json';
import { describe, expect, it } from 'vitest';
import { fileToolRegistry, pathCalls } from './test-file-tools.ts';
import { contextIn, temporaryDirectory } from './test-workspace.ts';

const registry = fileToolRegistry();

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

async function scene(files: Record<string, string | Buffer> = {}) {
  const workspace = await temporaryDirectory();
  for (const [path, content] of Object.entries(files))
    await writeFile(join(workspace, path), content);
  return {
    workspace,
    call: (name: string, args: JsonValue) => registry.run(name, args, contextIn(workspace)),
    content: (path: string) => readFile(join(workspace, path), 'utf8'),
  };
}

it.each(pathCalls)('%s says that there is no workspace', async (name, _argument, argsOf) => {
  const result = await registry.run(name, argsOf('x'), contextIn(null));
  expect(result).toMatchObject({ ok: false, error_code: 'failed' });
  expect(result.text).toContain('this session has no workspace');
});

describe('read_file', () => {
  it('gives the whole text unchanged', async () => {
    const { call } = await scene({ 'a.txt': '\ufeffone\r\ntwo\n' });
    expect(await call('read_file', { path: 'a.txt' })).toMatchObject({
      text: '\ufeffone\r\ntwo\n',
    });
  });

  it.each([
    [{ line_start: 2, line_end: 3 }, 'two\nthree\n[lines 2-3 of 4]'],
    [{ line_start: 4 }, 'four\n[lines 4-4 of 4]'],
    [{ line_end: 99 }, 'one\ntwo\nthree\nfour\n[lines 1-4 of 4]'],
  ])('gives the lines %j and says which', async (range, text) => {
    const { call } = await scene({ 'a.txt': 'one\ntwo\nthree\nfour\n' });
    expect(await call('read_file', { path: 'a.txt', ...range })).toMatchObject({ text });
  });

  it('explains a range that cannot be', async () => {
    const { call } = await scene({ 'a.txt': 'one\n' });
    const behind = await call('read_file', { path: 'a.txt', line_start: 9 });
    expect(behind).toMatchObject({ error_code: 'invalid_arguments' });
    expect(behind.text).toContain('has 1 lines');
    const backwards = await call('read_file', { path: 'a.txt', line_start: 3, line_end: 2 });
    expect(backwards.text).toContain('"line_end": must not be smaller than line_start');
  });

  it('refuses directories and missing files in words', async () => {
    const { call, workspace } = await scene();
    await mkdir(join(workspace, 'dir'));
    expect((await call('read_file', { path: 'dir' })).text).toContain('is a directory');
    expect((await call('read_file', { path: 'none' })).text).toContain('none does not exist');
  });

  it('says when a file is empty', async () => {
    const { call } = await scene({ 'a.txt': '' });
    expect((await call('read_file', { path: 'a.txt' })).text).toBe('[a.txt is empty]');
  });
});

describe('write_file', () => {
  it('creates, replaces, and names the file that changed', async () => {
    const { call, content, workspace } = await scene();
    expect(await call('write_file', { path: './a/b.txt', content: 'one' })).toEqual({
      ok: true,
      text: 'wrote a/b.txt (3 bytes)',
      changes: [
        {
          path: 'a/b.txt',
          after: { hash: sha256('one'), size: 3, mode: 0o666 & ~process.umask() },
        },
      ],
    });
    const path = join(workspace, 'a/b.txt');
    const again = await call('write_file', { path, content: 'two' });
    expect(again).toMatchObject({
      text: 'wrote a/b.txt (3 bytes)',
      changes: [{ path: 'a/b.txt', after: { hash: sha256('two') } }],
    });
    expect(await content('a/b.txt')).toBe('two');
  });

  it('refuses more than a megabyte', async () => {
    const { call } = await scene();
    const result = await call('write_file', { path: 'a', content: 'é'.repeat(600_000) });
    expect(result).toMatchObject({ ok: false, error_code: 'invalid_arguments' });
    expect(result.text).toContain('1048576 bytes');
  });
});

describe('edit_file', () => {
  it('answers with a unified diff', async () => {
    const { call, content } = await scene({ 'a.txt': 'one\r\ntwo\r\nthree\r\n' });
    const result = await call('edit_file', { path: 'a.txt', old_str: 'two', new_str: '2' });
    expect(result).toMatchObject({ ok: true, changes: [{ path: 'a.txt' }] });
    expect(result.text).toBe('--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n');
    expect(await content('a.txt')).toBe('one\r\n2\r\nthree\r\n');
  });

  it('applies a batch in order', async () => {
    const { call, content } = await scene({ 'a.txt': 'one two' });
    const edits = [
      { old_str: 'one', new_str: 'three' },
      { old_str: 'three two', new_str: 'four' },
    ];
    expect(await call('edit_file', { path: 'a.txt', edits })).toMatchObject({ ok: true });
    expect(await content('a.txt')).toBe('four');
  });

  it('applies a batch whole or not at all, and names the edit that failed', async () => {
    const { call, content } = await scene({ 'a.txt': 'one two' });
    const edits = [
      { old_str: 'one', new_str: '1' },
      { old_str: 'missing entirely', new_str: '2' },
    ];
    const result = await call('edit_file', { path: 'a.txt', edits });
    expect(result).toMatchObject({ ok: false, error_code: 'failed' });
    expect(result.text).toContain('edit 2 of 2');
    expect(await content('a.txt')).toBe('one two');
  });

  it.each([
    [{ old_str: 'a' }],
    [{ new_str: 'a' }],
    [{}],
    [{ old_str: '', new_str: 'a' }],
    [{ old_str: 'a', new_str: 'b', edits: [{ old_str: 'a', new_str: 'b' }] }],
    [{ edits: [] }],
  ])('refuses the arguments %j', async (args) => {
    const { call } = await scene({ 'a.txt': 'a' });
    const result = await call('edit_file', { path: 'a.txt', ...args });
    expect(result).toMatchObject({ ok: false, error_code: 'invalid_arguments' });
  });

  it('does not touch a file that is not UTF-8, nor one that would stay the same', async () => {
    const { call } = await scene({ latin: Buffer.from([0x61, 0xe9]), same: 'a' });
    const latin = await call('edit_file', { path: 'latin', old_str: 'a', new_str: 'b' });
    expect(latin.text).toContain('not UTF-8');
    const same = await call('edit_file', { path: 'same', old_str: 'a', new_str: 'a' });
    expect(same.text).toContain('as it is');
  });
});

describe('list_directory', () => {
  it('lists by name, directories with a slash', async () => {
    const { call, workspace } = await scene({ 'b.txt': '12345' });
    await mkdir(join(workspace, 'a'));
    await symlink('/etc', join(workspace, 'c'));
    expect(await call('list_directory', {})).toMatchObject({
      text: 'a/\nb.txt (5 bytes)\nc (symbolic link)',
    });
    expect(await call('list_directory', { path: 'a' })).toMatchObject({ text: '[a is empty]' });
  });
});

describe('search_files', () => {
  const files = { 'a.ts': 'const x = 1;\nconst needle = 2;\n', 'b.md': '# needle\n' };

  it('finds lines with path and number', async () => {
    const { call } = await scene(files);
    expect(await call('search_files', { pattern: 'need\\w+' })).toMatchObject({
      ok: true,
      text: 'a.ts:2:const needle = 2;\nb.md:1:# needle',
    });
  });

  it('narrows by glob and by path', async () => {
    const { call, workspace } = await scene(files);
    await mkdir(join(workspace, 'sub'));
    await writeFile(join(workspace, 'sub/c.ts'), 'needle\r\n');
    const byGlob = await call('search_files', { pattern: 'needle', glob: '*.ts' });
    expect(byGlob.text).toBe('a.ts:2:const needle = 2;\nsub/c.ts:1:needle');
    const byPath = await call('search_files', { pattern: 'needle', path: 'sub' });
    expect(byPath.text).toBe('sub/c.ts:1:needle');
    const byFile = await call('search_files', { pattern: 'needle', path: 'b.md' });
    expect(byFile.text).toBe('b.md:1:# needle');
  });

  it('says when nothing matches, and what is wrong with a pattern', async () => {
    const { call } = await scene(files);
    expect((await call('search_files', { pattern: 'absent' })).text).toBe('no matches');
    const broken = await call('search_files', { pattern: '(' });
    expect(broken).toMatchObject({ ok: false, error_code: 'invalid_arguments' });
    expect(broken.text).toContain('unclosed group');
  });

  it('takes a pattern or glob that looks like an option literally', async () => {
    const { call } = await scene({ 'a.txt': '--files\n' });
    expect((await call('search_files', { pattern: '--files' })).text).toBe('a.txt:1:--files');
    expect((await call('search_files', { pattern: 'x', glob: '--pre=sh' })).text).toBe(
      'no matches',
    );
  });

  it('shows nothing of links that lead outside, soft or hard', async () => {
    const outside = await temporaryDirectory();
    await writeFile(join(outside, 'secret'), 'needle canary\n');
    const { call, workspace } = await scene();
    await symlink(outside, join(workspace, 'dir-link'));
    await symlink(join(outside, 'secret'), join(workspace, 'file-link'));
    await link(join(outside, 'secret'), join(workspace, 'hard-link'));
    expect((await call('search_files', { pattern: 'needle' })).text).toBe('no matches');
  });

  it('bounds the number of matches and says so', async () => {
    const many = 'needle\n'.repeat(90);
    const { call } = await scene({ a: many, b: many, c: many });
    const { text } = await call('search_files', { pattern: 'needle' });
    const lines = text.split('\n');
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toContain('more matches');
  });
});

describe('glob_find', () => {
  async function project() {
    const made = await scene({ 'a.ts': '', 'b.md': '', '.hidden.ts': '' });
    for (const directory of ['src/deep', 'lib', '.git', 'out']) {
      await mkdir(join(made.workspace, directory), { recursive: true });
      await writeFile(join(made.workspace, directory, 'c.ts'), '');
    }
    await writeFile(join(made.workspace, '.gitignore'), 'out\n');
    return made;
  }

  it.each([
    [{ pattern: '*.ts' }, ['.hidden.ts', 'a.ts', 'lib/c.ts', 'src/deep/c.ts']],
    [{ pattern: '*.ts', path: 'src' }, ['src/deep/c.ts']],
    [{ pattern: 'src/**/*.ts' }, ['src/deep/c.ts']],
    [{ pattern: './lib/*' }, ['lib/c.ts']],
    [{ pattern: 'deep/*.ts', path: 'src' }, ['src/deep/c.ts']],
    [{ pattern: '/*.{ts,md}' }, ['.hidden.ts', 'a.ts', 'b.md']],
    [{ pattern: '/c.ts', path: 'src' }, ['no files match']],
    [{ pattern: '**', path: 'b.md' }, ['b.md']],
    [{ pattern: '--files' }, ['no files match']],
  ])('finds %j', async (args, lines) => {
    const { call } = await project();
    const { text } = await call('glob_find', args);
    expect(text.split('\n')).toEqual(lines);
  });

  it('shows 500 and says that there are more', async () => {
    const { call } = await scene(
      Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`f${index}`, ''])),
    );
    const lines = (await call('glob_find', { pattern: 'f*' })).text.split('\n');
    expect(lines).toHaveLength(501);
    expect(lines.at(-1)).toContain('there are more; narrow');
    expect(lines.slice(0, 3)).toEqual(['f0', 'f1', 'f10']);
  });

  it('explains a pattern that cannot be', async () => {
    const { call } = await scene();
    const broken = await call('glob_find', { pattern: 'a{b' });
    expect(broken).toMatchObject({ ok: false, error_code: 'invalid_arguments' });
    expect(broken.text).toContain('unclosed alternate group');
    const inverted = await call('glob_find', { pattern: '!*.ts' });
    expect(inverted.text).toContain('must say what to find');
    expect((await call('glob_find', { pattern: '*', path: 'none' })).text).toContain(
      'none does not exist',
    );
  });
});

it.each(['search_files', 'glob_find'])(
  "%s leaves out git's own data, whatever the glob",
  async (name) => {
    const { call, workspace } = await scene();
    await mkdir(join(workspace, '.git'));
    await writeFile(join(workspace, '.git/config'), 'needle\n');
    for (const glob of ['*', '**', '.git/**', '**/config']) {
      const args: JsonValue =
        name === 'glob_find' ? { pattern: glob } : { pattern: 'needle', glob };
      expect((await call(name, args)).text).toMatch(/^no (matches|files match)$/);
    }
  },
);
