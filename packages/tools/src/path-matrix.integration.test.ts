import { link, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { fileToolRegistry, pathCalls } from './test-file-tools.ts';
import { contextIn, temporaryDirectory } from './test-workspace.ts';

const registry = fileToolRegistry();

/** Everything below a directory: names, kinds, modes and contents. Links are not followed. */
async function snapshot(directory: string): Promise<Record<string, string>> {
  const entries: Record<string, string> = {};
  for (const name of (await readdir(directory)).sort()) {
    const path = join(directory, name);
    const stats = await lstat(path);
    entries[path] =
      `${stats.mode.toString(8)} ${stats.isFile() ? await readFile(path, 'utf8') : ''}`;
    if (stats.isDirectory()) Object.assign(entries, await snapshot(path));
  }
  return entries;
}

/** A workspace with every kind of way out, beside what must stay out of reach. */
async function scene() {
  const base = await temporaryDirectory();
  const workspace = join(base, 'workspace');
  const outside = join(base, 'outside');
  await mkdir(join(workspace, '.git'), { recursive: true });
  await mkdir(join(outside, 'below'), { recursive: true });
  await writeFile(join(outside, 'secret.txt'), 'canary\n');
  await writeFile(join(outside, 'below/deep.txt'), 'canary\n');
  await writeFile(join(outside, 'linked.txt'), 'canary\n');
  await writeFile(join(workspace, 'mine.txt'), 'mine\n');
  await writeFile(join(workspace, '.git/config'), 'canary\n');
  await symlink(join(outside, 'secret.txt'), join(workspace, 'file-link'));
  await symlink(outside, join(workspace, 'dir-link'));
  await symlink(join(outside, 'missing'), join(workspace, 'dangling'));
  await symlink('/proc/self/root', join(workspace, 'proc-link'));
  await link(join(outside, 'linked.txt'), join(workspace, 'hard-link'));
  await execa('mkfifo', [join(workspace, 'pipe')]);
  // Only root can make a device.
  await execa('mknod', [join(workspace, 'device'), 'c', '1', '5'], { reject: false });
  return { base, workspace, outside };
}

type Scene = Awaited<ReturnType<typeof scene>>;

const ways: [string, (scene: Scene) => string][] = [
  ['..', () => '..'],
  ['below ..', () => '../outside/secret.txt'],
  ['.. from a directory', () => '.git/../../outside/secret.txt'],
  ['an absolute path', ({ outside }) => join(outside, 'secret.txt')],
  ['an absolute directory', ({ outside }) => outside],
  ['a new absolute path', ({ outside }) => join(outside, 'new.txt')],
  ['a workspace with the same beginning', ({ workspace }) => `${workspace}-2/x`],
  ['a link to a file', () => 'file-link'],
  ['a link to a directory', () => 'dir-link'],
  ['a file through a link', () => 'dir-link/secret.txt'],
  ['a new file through a link', () => 'dir-link/below/new.txt'],
  ['a link to nothing', () => 'dangling'],
  ['below a link to nothing', () => 'dangling/new.txt'],
  ['/proc/self/root', ({ outside }) => `/proc/self/root${outside}/secret.txt`],
  ['/proc/self/cwd', () => '/proc/self/cwd/package.json'],
  ['/proc/self/environ', () => '/proc/self/environ'],
  ['a link to /proc/self/root', ({ outside }) => `proc-link${outside}/secret.txt`],
  ['a pipe', () => 'pipe'],
  ['a device', () => 'device'],
  ['NUL', () => 'mine.txt\u0000.png'],
  ['a path that is too long', () => 'x/'.repeat(3_000)],
  ['a name that is too long', () => `new/${'x'.repeat(300)}`],
  ['a file as a directory', () => 'mine.txt/below'],
];

const gitWays = ['.git', '.git/config', '.git/new', '.GIT/config', 'sub/.git/hooks/new'];

async function expectRefused(at: Scene, calls: typeof pathCalls, path: string, words: RegExp) {
  const before = await snapshot(at.base);
  for (const [name, argument, argsOf] of calls) {
    const context = contextIn(at.workspace);
    const result = await registry.run(name, argsOf(path), context);
    const call = `${name} with this ${argument}: ${result.text}`;
    expect(result.ok, call).toBe(false);
    expect(result.text).not.toContain('canary');
    expect(result.text).toMatch(words);
    expect(context.kept, call).toEqual([]);
    expect(await snapshot(at.base), call).toEqual(before);
  }
}

// One sentence about the input, not about descriptors or error numbers.
const sentence = /^(?!.*(\/proc\/self\/fd|\bE[A-Z]{4,}\b)).+$/;

it.each(ways)('%s leads no tool anywhere', async (_way, pathOf) => {
  const at = await scene();
  await expectRefused(at, pathCalls, pathOf(at), sentence);
});

it.each(gitWays)("%s is git's, which no tool changes", async (path) => {
  const changing = pathCalls.filter(([name]) => registry.effect(name) !== 'read');
  await expectRefused(await scene(), changing, path, /belongs to git's own data.*use git_command/);
});

it.each(pathCalls)(
  'a hard link gives %s nothing of the file outside as its %s',
  async (...call) => {
    const [name, , argsOf] = call;
    const at = await scene();
    const before = await snapshot(at.outside);
    const context = contextIn(at.workspace);
    const result = await registry.run(name, argsOf('hard-link'), context);
    expect(result.text).not.toContain('canary');
    for (const { before: kept } of context.kept) {
      expect(kept?.content?.toString() ?? '').not.toContain('canary');
    }
    expect(await snapshot(at.outside)).toEqual(before);
  },
);

it('a hard link is replaced by write_file, not written through', async () => {
  const at = await scene();
  const args = { path: 'hard-link', content: 'changed' };
  expect(await registry.run('write_file', args, contextIn(at.workspace))).toMatchObject({
    ok: true,
  });
  expect(await readFile(join(at.workspace, 'hard-link'), 'utf8')).toBe('changed');
  expect(await readFile(join(at.outside, 'linked.txt'), 'utf8')).toBe('canary\n');
});

it.each(['../**', '/**/secret.txt', 'dir-link/**', '**/../outside/*', '*-link'])(
  'glob_find shows nothing outside for %s',
  async (pattern) => {
    const at = await scene();
    const result = await registry.run('glob_find', { pattern }, contextIn(at.workspace));
    expect(result.text).toBe(pattern === '*-link' ? 'hard-link' : 'no files match');
  },
);
