import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import {
  appendFile,
  chmod,
  link,
  mkdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { FileBefore } from '@loom/shared/tool';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dataMarker } from '../confined/data-directory.ts';
import { temporaryName } from '../confined/temporary-name.ts';
import { temporaryDirectory } from '../test-workspace.ts';
import { createSnapshots } from './snapshots.ts';
import { walkFiles } from './walk-files.ts';
import { withChanges } from './with-changes.ts';

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

async function scene(files: Record<string, string>) {
  const workspace = await temporaryDirectory();
  const directory = await temporaryDirectory();
  const snapshots = createSnapshots({ directory });
  onTestFinished(() => snapshots.close());
  const at = (path: string) => join(workspace, path);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(at(path), '..'), { recursive: true });
    await writeFile(at(path), text);
  }
  /** What a deed changed: for each path its text before, and its text after by hash. */
  const during = async (deed: () => Promise<unknown>) => {
    const kept: FileBefore[] = [];
    const keep = { before: async (more: readonly FileBefore[]) => void kept.push(...more) };
    const place = { workspace, hidden_paths: [at('hidden')], keep: keep as never };
    const { changes, note } = await withChanges(snapshots, place, deed);
    expect(kept.map(({ path }) => path)).toEqual(changes.map(({ path }) => path));
    const before = Object.fromEntries(
      kept.map(({ path, before: was }) => [path, was && (was.content?.toString() ?? 'unknown')]),
    );
    const after = Object.fromEntries(changes.map(({ path, after: now }) => [path, now]));
    return { before, after, note, kept };
  };
  return { workspace, directory, at, during, snapshots };
}

describe('withChanges', () => {
  it('tells what was created, changed and removed, with how it was', async () => {
    const { at, during } = await scene({ 'a.txt': 'one', 'dir/b.txt': 'two', 'c.txt': 'three' });
    const { before, after, kept, note } = await during(async () => {
      await writeFile(at('a.txt'), 'ONE');
      await rm(at('dir/b.txt'));
      await writeFile(at('new.txt'), 'new');
    });
    expect(before).toEqual({ 'a.txt': 'one', 'dir/b.txt': 'two', 'new.txt': null });
    expect(after).toEqual({
      'a.txt': { hash: sha256('ONE'), size: 3, mode: 0o644 },
      'dir/b.txt': null,
      'new.txt': { hash: sha256('new'), size: 3, mode: 0o644 },
    });
    expect(kept[0]?.before).toMatchObject({ hash: sha256('one'), size: 3, mode: 0o644 });
    expect(note).toBeNull();
  });

  it('sees a change that keeps size and times, and none where there was none', async () => {
    const { at, during } = await scene({ 'a.txt': 'one', 'b.txt': 'two', 'x.sh': 'run' });
    const past = new Date('2020-01-01');
    await utimes(at('a.txt'), past, past);
    const { before, after } = await during(async () => {
      await writeFile(at('a.txt'), 'eno');
      await utimes(at('a.txt'), past, past);
      await utimes(at('b.txt'), new Date(), new Date());
      await chmod(at('x.sh'), 0o755);
    });
    expect(before).toEqual({ 'a.txt': 'one', 'x.sh': 'run' });
    expect(after['x.sh']).toMatchObject({ mode: 0o755 });
  });

  it('knows the state before each call, also of files it has copied earlier', async () => {
    const { at, during } = await scene({ 'a.txt': '0' });
    for (let round = 1; round <= 5; round += 1) {
      const { before } = await during(() => writeFile(at('a.txt'), `${round}`));
      expect(before).toEqual({ 'a.txt': `${round - 1}` });
    }
    expect((await during(async () => {})).before).toEqual({});
  });

  it('tells of a move as of two files, and of calls at one time each for itself', async () => {
    const { at, during } = await scene({ 'a.txt': 'one', 'b.txt': 'two' });
    const [first, second] = await Promise.all([
      during(async () => {
        await rename(at('a.txt'), at('moved.txt'));
      }),
      during(() => appendFile(at('b.txt'), '!')),
    ]);
    expect(first.before).toMatchObject({ 'a.txt': 'one', 'moved.txt': null });
    expect(second.before).toMatchObject({ 'b.txt': 'two' });
  });

  it('keeps what it can when the deed fails, and passes the failure on', async () => {
    const { at, during, snapshots, workspace } = await scene({ 'a.txt': 'one' });
    const kept: FileBefore[] = [];
    const keep = { before: async (more: readonly FileBefore[]) => void kept.push(...more) };
    const failing = withChanges(
      snapshots,
      { workspace, hidden_paths: [], keep: keep as never },
      async () => {
        await rm(at('a.txt'));
        throw new Error('broken');
      },
    );
    await expect(failing).rejects.toThrow('broken');
    expect(kept).toMatchObject([{ path: 'a.txt', before: { content: Buffer.from('one') } }]);
    expect((await during(async () => {})).before).toEqual({});
  });

  it('follows no link and reads nothing through one', async () => {
    const outside = await temporaryDirectory();
    await writeFile(join(outside, 'secret'), 'canary');
    const { at, during } = await scene({ 'a.txt': 'one', 'dir/b.txt': 'two' });
    await symlink(outside, at('before'));
    const { before, after } = await during(async () => {
      await symlink(join(outside, 'secret'), at('link'));
      await rm(at('a.txt'));
      await symlink(join(outside, 'secret'), at('a.txt'));
      await rm(at('dir'), { recursive: true });
      await symlink(outside, at('dir'));
      await writeFile(join(outside, 'b.txt'), 'canary');
    });
    expect(before).toEqual({ 'a.txt': 'one', 'dir/b.txt': 'two' });
    expect(after).toEqual({ 'a.txt': null, 'dir/b.txt': null });
  });

  it('does not trust the times of a file that was written just now', async () => {
    const { snapshots, workspace, at } = await scene({ 'a.txt': 'one' });
    await writeFile(at('a.txt'), 'one');
    const first = await snapshots.take(workspace, []);
    const second = await snapshots.take(workspace, []);
    expect(first?.files.get('a.txt')?.is_fresh).toBe(true);
    expect(second?.files.get('a.txt')).not.toBe(first?.files.get('a.txt'));
    first?.release();
    second?.release();
  });

  it('does not walk where a link stands for a directory', async () => {
    const { workspace } = await scene({ 'a.txt': 'one' });
    const elsewhere = await temporaryDirectory();
    await symlink(workspace, join(elsewhere, 'link'));
    const options = { max_files: 10, leave_out: new Set<string>() };
    const walk = await walkFiles(join(elsewhere, 'link'), options);
    expect([...(walk?.files.keys() ?? [])]).toEqual([]);
  });

  it('gives up on more files than it may look at', async () => {
    const { workspace } = await scene({ a: '', b: '', c: '' });
    expect(await walkFiles(workspace, { max_files: 2, leave_out: new Set() })).toBeNull();
    expect((await walkFiles(workspace, { max_files: 3, leave_out: new Set() }))?.files.size).toBe(
      3,
    );
  });

  it('keeps no content of a file that has another name', async () => {
    const outside = await temporaryDirectory();
    await writeFile(join(outside, 'shared'), 'canary');
    const { at, during } = await scene({});
    await link(join(outside, 'shared'), at('shared'));
    const { before } = await during(() => appendFile(at('shared'), '!'));
    expect(before).toEqual({ shared: 'unknown' });
  });

  it('leaves out what tools make: dependencies, caches, what git ignores, hidden data', async () => {
    const { at, during } = await scene({
      '.gitignore': 'dist/\n/top/\n*.tmp\n',
      'node_modules/m/index.js': '',
      'cache/CACHEDIR.TAG': '',
      'hidden/key': '',
      [`data/${dataMarker}`]: '',
      'dist/out.js': '',
      'sub/dist/out.js': '',
      'top/x': '',
      'sub/top/x': '',
      'a.tmp': '',
      '.env': '',
    });
    const { before } = await during(async () => {
      for (const path of [
        '.git/x',
        'node_modules/new.js',
        'sub/node_modules/y',
        'cache/x',
        'hidden/x',
        'data/x',
        'dist/x',
        'sub/dist/x',
        'top/y',
        'sub/top/y',
        'a.tmp',
        '.env',
        'b/c.txt',
      ]) {
        await mkdir(join(at(path), '..'), { recursive: true });
        await appendFile(at(path), 'x');
      }
    });
    expect(Object.keys(before)).toEqual(['.env', 'a.tmp', 'b/c.txt', 'sub/top/y']);
  });

  it('is not deceived by a deed that changes what is left out', async () => {
    const { at, during } = await scene({ '.gitignore': 'dist/\n', 'dist/a': '1', 'src/b': '2' });
    const { before, after } = await during(async () => {
      await writeFile(at('.gitignore'), 'src/\n');
      await writeFile(at('src/CACHEDIR.TAG'), '');
    });
    expect(Object.keys(before)).toEqual(['.gitignore']);
    expect(after['.gitignore']).not.toBeNull();
  });

  it('tells of a file too large to copy, without its content', async () => {
    const { at, during } = await scene({ 'small.bin': 'x' });
    await truncate(at('small.bin'), 3_000_000);
    const { before, after } = await during(() => appendFile(at('small.bin'), 'x'));
    expect(before).toEqual({ 'small.bin': 'unknown' });
    expect(after['small.bin']).toMatchObject({ size: 3_000_001 });
  });

  it('lists a bounded number of changes, first those of files that were there', async () => {
    const { at, during } = await scene({ 'zz.txt': 'last' });
    const { before, note } = await during(async () => {
      await mkdir(at('many'));
      for (let i = 0; i < 250; i += 1) await writeFile(at(`many/${i}`), '');
      await rm(at('zz.txt'));
    });
    expect(Object.keys(before)).toHaveLength(200);
    expect(before['zz.txt']).toBe('last');
    expect(note).toMatch(/^\[200 changed files were recorded; up to 51 more/);
  });

  it('leaves no file in the directory where it keeps content', async () => {
    const { at, during, directory } = await scene({ 'a.txt': 'one' });
    await during(async () => {
      expect(readdirSync(directory)).toEqual([]);
      await rm(at('a.txt'));
    });
    expect(await readFile(at('a.txt'), 'utf8').catch(() => null)).toBeNull();
  });
});

it('does not take what is still being written for a change', async () => {
  const { at, during } = await scene({ 'a.txt': 'a' });
  const name = temporaryName();
  const seen = await during(() => writeFile(at(name), 'half'));
  expect(seen.after).toEqual({});
  expect((await during(() => rename(at(name), at('b.txt')))).after).toHaveProperty('b.txt');
});
