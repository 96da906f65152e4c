import { writeFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonValue } from '@loom/shared/json';
import { describe, expect, it } from 'vitest';
import { versionOfContent } from './confined/version-confined.ts';
import { editFileTool } from './edit-file.ts';
import { fileToolRegistry } from './test-file-tools.ts';
import { contextIn, temporaryDirectory } from './test-workspace.ts';

const registry = fileToolRegistry();

const versionOf = (text: string, mode: number) => versionOfContent(Buffer.from(text), mode);
const before = (text: string, mode: number) => ({
  ...versionOf(text, mode),
  content: Buffer.from(text),
});

async function scene(files: Record<string, string>) {
  const workspace = await temporaryDirectory();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(workspace, path, '..'), { recursive: true });
    await writeFile(join(workspace, path), content);
    await chmod(join(workspace, path), 0o640);
  }
  const context = contextIn(workspace);
  const call = (name: string, args: JsonValue) => registry.run(name, args, context);
  const all = async () => (await readdir(workspace, { recursive: true })).sort();
  return { workspace, context, call, all };
}

describe('a change', () => {
  it('of write_file keeps what was there, or that nothing was', async () => {
    const { call, context } = await scene({ 'a.txt': 'old' });
    const replaced = await call('write_file', { path: 'a.txt', content: 'new' });
    expect(context.kept).toEqual([{ path: 'a.txt', before: before('old', 0o640) }]);
    expect(replaced.changes).toEqual([{ path: 'a.txt', after: versionOf('new', 0o640) }]);
    await call('write_file', { path: './sub/b.txt', content: '' });
    expect(context.kept[1]).toEqual({ path: 'sub/b.txt', before: null });
  });

  it('of edit_file keeps what was there, and the permissions', async () => {
    const { call, context, workspace } = await scene({ 'a.txt': 'one\r\ntwo\r\n' });
    const result = await call('edit_file', { path: 'a.txt', old_str: 'two', new_str: '2' });
    expect(context.kept).toEqual([{ path: 'a.txt', before: before('one\r\ntwo\r\n', 0o640) }]);
    expect(result.changes).toEqual([{ path: 'a.txt', after: versionOf('one\r\n2\r\n', 0o640) }]);
    expect((await stat(join(workspace, 'a.txt'))).mode & 0o777).toBe(0o640);
  });

  it('of delete_file keeps what was there', async () => {
    const { call, context, all } = await scene({ 'dir/a.txt': 'old' });
    expect(await call('delete_file', { path: 'dir/a.txt' })).toEqual({
      ok: true,
      text: 'deleted dir/a.txt',
      changes: [{ path: 'dir/a.txt', after: null }],
    });
    expect(context.kept).toEqual([{ path: 'dir/a.txt', before: before('old', 0o640) }]);
    const directory = await call('delete_file', { path: 'dir' });
    expect(directory).toEqual({ ok: true, text: 'deleted the empty directory dir' });
    expect(context.kept).toHaveLength(1);
    expect(await all()).toEqual([]);
  });

  it('of move_file keeps both paths', async () => {
    const { call, context, workspace } = await scene({ 'a.txt': 'old' });
    expect(await call('move_file', { source: 'a.txt', destination: 'new/b.txt' })).toEqual({
      ok: true,
      text: 'moved a.txt to new/b.txt',
      changes: [
        { path: 'a.txt', after: null },
        { path: 'new/b.txt', after: versionOf('old', 0o640) },
      ],
    });
    expect(context.kept).toEqual([
      { path: 'a.txt', before: before('old', 0o640) },
      { path: 'new/b.txt', before: null },
    ]);
    expect(await readFile(join(workspace, 'new/b.txt'), 'utf8')).toBe('old');
    expect((await stat(join(workspace, 'new/b.txt'))).mode & 0o777).toBe(0o640);
  });

  it('of move_file keeps every file of a directory', async () => {
    const { call, context, all } = await scene({ 'd/x.txt': 'x', 'd/e/y.txt': 'y', 'dz.txt': '' });
    const result = await call('move_file', { source: 'd', destination: 'new/d' });
    expect(result.text).toBe('moved d to new/d (2 files)');
    expect(context.kept.map(({ path }) => path)).toEqual([
      'd/e/y.txt',
      'new/d/e/y.txt',
      'd/x.txt',
      'new/d/x.txt',
    ]);
    expect(result.changes?.map(({ after }) => after?.size ?? null)).toEqual([null, 1, null, 1]);
    expect(await all()).toEqual([
      'dz.txt',
      'new',
      'new/d',
      'new/d/e',
      'new/d/e/y.txt',
      'new/d/x.txt',
    ]);
  });
});

describe('a call that is refused keeps nothing and changes nothing:', () => {
  const files = { 'a.txt': 'one one', 'b.txt': 'b', 'dir/c.txt': 'c', 'repo/.git/config': 'g' };

  it.each<[string, JsonValue, RegExp]>([
    ['edit_file', { path: 'a.txt', old_str: 'one', new_str: '1' }, /occurs 2 times/],
    ['edit_file', { path: 'a.txt', old_str: 'two', new_str: '1' }, /does not occur/],
    ['edit_file', { path: 'none.txt', old_str: 'x', new_str: 'y' }, /none\.txt does not exist/],
    ['write_file', { path: 'dir', content: 'x' }, /dir is a directory/],
    ['write_file', { path: 'new/sub/../../dir', content: 'x' }, /dir is a directory/],
    ['delete_file', { path: 'dir' }, /not empty; delete what is inside it first/],
    ['delete_file', { path: '.' }, /workspace root/],
    ['delete_file', { path: 'none' }, /none does not exist/],
    ['move_file', { source: '.', destination: 'x' }, /workspace root/],
    ['move_file', { source: 'a.txt', destination: '.' }, /workspace root/],
    ['move_file', { source: 'none', destination: 'new/x' }, /none does not exist/],
    ['move_file', { source: 'a.txt', destination: 'b.txt' }, /b\.txt exists already/],
    ['move_file', { source: 'a.txt', destination: 'dir' }, /dir exists already/],
    ['move_file', { source: 'a.txt', destination: 'a.txt' }, /the same path/],
    ['move_file', { source: 'dir', destination: 'dir/sub/x' }, /cannot be moved into itself/],
    ['move_file', { source: 'repo', destination: 'new/repo' }, /git's own data/],
  ])('%s %j', async (name, args, words) => {
    const { call, context, all } = await scene(files);
    const was = await all();
    const result = await call(name, args);
    expect(result).toMatchObject({ ok: false });
    expect(result.text).toMatch(words);
    expect(result.changes).toBeUndefined();
    expect(context.kept).toEqual([]);
    expect(await all()).toEqual(was);
  });

  it('move_file of a directory with too many files, or with a link', async () => {
    const { call, context, all, workspace } = await scene({ 'links/a.txt': 'a' });
    await symlink('a.txt', join(workspace, 'links/b.txt'));
    await mkdir(join(workspace, 'many'));
    for (let index = 0; index <= 1_000; index++) {
      await writeFile(join(workspace, `many/${index}`), '');
    }
    const was = await all();
    const many = await call('move_file', { source: 'many', destination: 'new/many' });
    expect(many.text).toContain('many holds more than 1000 files');
    const links = await call('move_file', { source: 'links', destination: 'new/links' });
    expect(links.text).toContain('holds links/b.txt, which is not a regular file');
    expect(context.kept).toEqual([]);
    expect(await all()).toEqual(was);
  });
});

describe.each<[string, JsonValue]>([
  ['write_file', { path: 'a.txt', content: 'new' }],
  ['write_file', { path: 'new/sub/b.txt', content: 'new' }],
  ['edit_file', { path: 'a.txt', old_str: 'old', new_str: 'new' }],
  ['move_file', { source: 'a.txt', destination: 'new/b.txt' }],
  ['move_file', { source: 'dir', destination: 'new/dir' }],
  ['delete_file', { path: 'a.txt' }],
])('%s %j leaves everything as it was', (name, args) => {
  const files = { 'a.txt': 'old', 'dir/c.txt': 'c' };

  it('when what was there cannot be kept', async () => {
    const { context, all, workspace } = await scene(files);
    const was = await all();
    const keep = {
      ...context.keep,
      before: async () => {
        throw new Error('no database');
      },
    };
    const result = await registry.run(name, args, { ...context, keep });
    expect(result).toMatchObject({ ok: false, text: expect.stringContaining('no database') });
    expect(await all()).toEqual(was);
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('old');
  });

  it('when it is stopped in the last moment', async () => {
    const { context, all, workspace } = await scene(files);
    const was = await all();
    const stop = new AbortController();
    const keep = { ...context.keep, before: async () => stop.abort() };
    const result = await registry.run(name, args, { ...context, keep, signal: stop.signal });
    expect(result).toMatchObject({ ok: false, error_code: 'cancelled' });
    expect(await all()).toEqual(was);
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('old');
  });
});

it('edit_file does not overwrite what someone else wrote meanwhile', async () => {
  const { workspace, context } = await scene({ 'a.txt': 'old' });
  const request = {
    path: 'a.txt',
    // Asked for when the file has been read.
    get edits() {
      writeFileSync(join(workspace, 'a.txt'), 'old, and theirs');
      return [{ old_str: 'old', new_str: 'new' }];
    },
  };
  await expect(editFileTool.run(request, context)).rejects.toThrow(/changed by someone else/);
  expect(context.kept).toEqual([]);
  expect(await readdir(workspace)).toEqual(['a.txt']);
  expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('old, and theirs');
});
