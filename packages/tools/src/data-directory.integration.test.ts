import { mkdir, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { JsonValue } from '@loom/shared/json';
import { describe, expect, it } from 'vitest';
import { dataMarker } from './confined/data-directory.ts';
import { hashConfined } from './confined/hash-confined.ts';
import { listConfined } from './confined/list-confined.ts';
import { readConfined } from './confined/read-confined.ts';
import { statConfined } from './confined/stat-confined.ts';
import { writeConfinedAtomic } from './confined/write-confined-atomic.ts';
import { probeSandbox } from './sandbox/probe-sandbox.ts';
import { shellExecuteTool } from './shell-execute.ts';
import { fileToolRegistry, pathCalls } from './test-file-tools.ts';
import { contextIn, temporaryDirectory } from './test-workspace.ts';

const sandbox = await probeSandbox();
const limits = { max_bytes: 1_000 };

/** A data directory at `path` of a project, beside an ordinary file. */
async function scene(path = '.loom') {
  const project = await realpath(await temporaryDirectory());
  const dataDir = join(project, path);
  const own = join(dataDir, 'workspaces/one');
  await mkdir(own, { recursive: true });
  await writeFile(join(dataDir, dataMarker), '');
  await writeFile(join(dataDir, 'admin.key'), 'needle canary\n');
  await writeFile(join(own, 'mine.txt'), 'needle canary mine\n');
  await writeFile(join(project, 'readme.md'), 'needle\n');
  const shell = { allow_unsandboxed: false, network: false, hidden_paths: [dataDir], sandbox };
  const registry = fileToolRegistry([dataDir], [shellExecuteTool(shell)]);
  const callIn = (workspace: string) => (name: string, args: JsonValue) =>
    registry.run(name, args, contextIn(workspace));
  return { project, dataDir, own, callIn, call: callIn(project) };
}

const closed = /belongs to Loom's own data, which is closed to tools/;

describe.each(['.loom', 'deep/er/.loom', 'od[d] {na,me} *!é/.loom'])(
  'a data directory at %s',
  (at) => {
    const inside = [at, `${at}/admin.key`, `${at}/new.txt`, `${at}/workspaces/one/mine.txt`];

    it('is closed to every confined operation', async () => {
      const { project, dataDir } = await scene(at);
      const before = await readdir(dataDir, { recursive: true });
      for (const path of [...inside, join(dataDir, 'admin.key'), `x/../${at}/admin.key`]) {
        await expect(readConfined(project, path, limits)).rejects.toThrow(closed);
        await expect(hashConfined(project, path)).rejects.toThrow(closed);
        await expect(statConfined(project, path)).rejects.toThrow(closed);
        await expect(listConfined(project, path, { max_entries: 9 })).rejects.toThrow(closed);
        await expect(writeConfinedAtomic(project, path, 'x', limits)).rejects.toThrow(closed);
      }
      expect(await readdir(dataDir, { recursive: true })).toEqual(before);
      expect(await readFile(join(dataDir, 'admin.key'), 'utf8')).toBe('needle canary\n');
    });

    it('is closed to every file tool', async () => {
      const { call, project } = await scene(at);
      await writeFile(join(project, 'mine.txt'), '');
      for (const path of inside) {
        for (const [name, , argsOf] of pathCalls) {
          const result = await call(name, argsOf(path));
          expect(result).toMatchObject({ ok: false, error_code: 'failed' });
          expect(result.text).toMatch(closed);
        }
      }
    });

    it('is not searched, whatever the glob', async () => {
      const { call, dataDir } = await scene(at);
      // So many that what comes after them would not be shown.
      await writeFile(join(dataDir, 'more'), 'needle\n'.repeat(90));
      await writeFile(join(dataDir, 'most'), 'needle\n'.repeat(90));
      await writeFile(join(dataDir, 'much'), 'needle\n'.repeat(90));
      const globs = ['*', '**', '**/*', `${at}/**`, `/${at}/*`, '.loom', '!*.key', '*.{md,key}'];
      for (const glob of [undefined, ...globs]) {
        const { text } = await call('search_files', { pattern: 'needle', ...(glob && { glob }) });
        expect(text).not.toContain('canary');
        expect(text).not.toContain('more matches');
      }
      const { text } = await call('search_files', { pattern: 'needle' });
      expect(text).toBe('readme.md:1:needle');
      expect((await call('glob_find', { pattern: '**' })).text).toBe('readme.md');
      const [above] = at.split('/');
      if (above !== at) {
        const below = await call('search_files', { pattern: 'needle', path: above ?? '' });
        expect(below.text).toBe('no matches');
      }
    });

    it.runIf(sandbox.works)('looks empty to a command, which cannot put it aside', async () => {
      const { call, callIn, dataDir, project } = await scene(at);
      const run = async (command: string) => (await call('shell_execute', { command })).text;
      expect(
        await run(`ls -A '${dataDir}' && cat '${at}/admin.key' '${dataDir}/admin.key'`),
      ).toMatch(/^exit code 1\ncat: .*No such file.*\ncat: .*No such file.*\n$/);
      expect(await run('grep -r canary . ; cat readme.md; echo made > made.txt')).toBe(
        'exit code 0\nneedle\n',
      );
      const refused = [
        `echo x > '${at}/admin.key'`,
        `mkdir '${at}/new'`,
        `rmdir '${at}'`,
        `mv '${at}' moved`,
        `mv '${at.split('/')[0]}' moved`,
        `mount --bind . '${at}'`,
        `umount '${at}'`,
      ];
      for (const command of refused) expect(await run(command)).not.toMatch(/^exit code 0/);
      await run(
        `rm -rf '${at.split('/')[0]}'; ln -s '${at}/admin.key' link; ln '${at}/admin.key' hard`,
      );
      expect(await run('cat link hard; true')).not.toContain('canary');
      expect(await readFile(join(project, 'made.txt'), 'utf8')).toBe('made\n');
      expect(await readFile(join(dataDir, 'admin.key'), 'utf8')).toBe('needle canary\n');
      expect(await readdir(dataDir)).toContain(dataMarker);
      // The same holds for a workspace that is reached through a link.
      const other = await temporaryDirectory();
      await symlink(project, join(other, 'link'));
      const path = join(other, 'link', at.split('/').slice(0, -1).join('/'));
      if (basename(path) !== 'link') {
        const linked = await callIn(path)('shell_execute', { command: 'ls -A .loom; ls -A' });
        expect(linked.text).toBe('exit code 0\n.loom\n');
      }
    });
  },
);

describe('list_directory', () => {
  it('does not show the data directory, nor count it', async () => {
    const { call } = await scene();
    expect((await call('list_directory', {})).text).toBe('readme.md (7 bytes)');
    const deep = await scene('deep/.loom');
    expect((await deep.call('list_directory', { path: 'deep' })).text).toBe('[deep is empty]');
  });
});

describe('a workspace of its own in the data directory', () => {
  it('is used like any other', async () => {
    const { own, callIn } = await scene();
    const call = callIn(own);
    expect((await call('read_file', { path: 'mine.txt' })).text).toBe('needle canary mine\n');
    expect(await call('write_file', { path: 'a/b.txt', content: 'needle' })).toMatchObject({
      ok: true,
    });
    expect((await call('list_directory', {})).text).toBe('a/\nmine.txt (19 bytes)');
    expect((await call('search_files', { pattern: 'needle' })).text).toBe(
      'a/b.txt:1:needle\nmine.txt:1:needle canary mine',
    );
    expect(await statConfined(own, '.')).toEqual({ kind: 'directory', bytes: 0 });
  });

  it.runIf(sandbox.works)('shows a command nothing of what lies around it', async () => {
    const { own, dataDir, callIn } = await scene();
    const command = `ls; echo x > made.txt; ls -A ${dataDir} ${dataDir}/workspaces; cat ../../admin.key`;
    const { text } = await callIn(own)('shell_execute', { command });
    expect(text).toContain(`mine.txt\n${dataDir}:\nworkspaces\n\n${dataDir}/workspaces:\none\n`);
    expect(text).toContain('admin.key: No such file');
    expect(await readFile(join(own, 'made.txt'), 'utf8')).toBe('x\n');
  });
});

describe('the data directory as a workspace', () => {
  const calls: [string, JsonValue][] = [
    ['read_file', { path: 'admin.key' }],
    ['write_file', { path: 'new', content: '' }],
    ['list_directory', {}],
    ['search_files', { pattern: 'needle' }],
  ];
  if (sandbox.works) calls.push(['shell_execute', { command: 'cat admin.key' }]);

  it.each(calls)('is refused by %s', async (name, args) => {
    const { dataDir, callIn } = await scene();
    const result = await callIn(dataDir)(name, args);
    expect(result).toMatchObject({ ok: false, error_code: 'failed' });
    expect(result.text).toMatch(closed);
  });
});

it('cannot be moved along with a directory around it', async () => {
  const { project, call } = await scene('deep/er/.loom');
  const result = await call('move_file', { source: 'deep', destination: 'elsewhere' });
  expect(result.text).toMatch(closed);
  expect(await readdir(project)).toEqual(['deep', 'readme.md']);
});

it('cannot be claimed by writing the mark', async () => {
  const { call, project } = await scene();
  const result = await call('write_file', { path: `sub/${dataMarker}`, content: '' });
  expect(result.text).toMatch(closed);
  expect(await readdir(project)).toEqual(['.loom', 'readme.md']);
});
