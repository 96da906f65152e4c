import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fileToolRegistry } from './test-file-tools.ts';
import { contextIn, temporaryDirectory } from './test-workspace.ts';

const rounds = 34;
const registry = fileToolRegistry();

/** Swaps `dir` between a real directory and a link to the outside until it is killed. */
const swapper = `
  import { renameSync } from 'node:fs';
  let aside = 0;
  const put = (name) => {
    for (;;) {
      try {
        return renameSync(name, 'dir');
      } catch {
        // A tool found nothing there and created the directory anew.
        try { renameSync('dir', 'aside-' + aside++); } catch {}
      }
    }
  };
  process.send('ready');
  for (;;) {
    renameSync('dir', 'real');
    put('link');
    renameSync('dir', 'link');
    put('real');
  }
`;

/** Names that are the same inside and outside; what is in them tells where they lie. */
const victims = Array.from({ length: rounds }, (_, round) => `victim-${round}.txt`);

async function scene() {
  const base = await temporaryDirectory();
  const workspace = join(base, 'workspace');
  const outside = join(base, 'outside');
  await mkdir(join(workspace, 'dir'), { recursive: true });
  await mkdir(outside);
  await symlink(outside, join(workspace, 'link'));
  const names = ['edited.txt', 'secret.txt', ...victims];
  for (const name of names) {
    await writeFile(join(workspace, 'dir', name), 'needle inside\n');
    await writeFile(join(outside, name), 'needle canary\n');
  }
  await writeFile(join(outside, 'canary.txt'), 'needle canary\n');
  for (const name of victims) await writeFile(join(workspace, name), 'mine\n');
  return { workspace, outside };
}

async function contentsOf(directory: string): Promise<Record<string, string>> {
  const names = await readdir(directory);
  const contents = names.map((name) => readFile(join(directory, name), 'utf8'));
  return Object.fromEntries((await Promise.all(contents)).map((text, at) => [names[at], text]));
}

/** What every tool does in one round with the directory that is being swapped. */
const deeds = (round: number): [string, Record<string, string>][] => [
  ['read_file', { path: 'dir/secret.txt' }],
  ['write_file', { path: `dir/new-${round}.txt`, content: 'written' }],
  ['edit_file', { path: 'dir/edited.txt', old_str: 'needle', new_str: `needle ${round}` }],
  ['list_directory', { path: 'dir' }],
  ['search_files', { pattern: 'needle', path: 'dir' }],
  ['glob_find', { pattern: '*.txt', path: 'dir' }],
  ['move_file', { source: `dir/${victims[round]}`, destination: `moved/${round}.txt` }],
  ['move_file', { source: victims[round] ?? '', destination: `dir/into-${round}.txt` }],
  ['delete_file', { path: `dir/${victims[rounds - 1 - round]}` }],
];

async function startSwapper(workspace: string) {
  const script = join(await temporaryDirectory(), 'swapper.mjs');
  await writeFile(script, swapper);
  const child = fork(script, { cwd: workspace });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
}

it.runIf(process.platform === 'linux')(
  'no file tool reaches outside while a directory is swapped for a link',
  async () => {
    const { workspace, outside } = await scene();
    const before = await contentsOf(outside);
    const context = contextIn(workspace);
    const stop = await startSwapper(workspace);
    const outcomes = { done: 0, refused: 0 };
    for (let round = 0; round < rounds; round++) {
      for (const [name, args] of deeds(round)) {
        const result = await registry.run(name, args, context);
        expect(result.text, name).not.toContain('canary');
        outcomes[result.ok ? 'done' : 'refused'] += 1;
      }
    }
    await stop();
    expect(await contentsOf(outside)).toEqual(before);
    const kept = context.kept.map(({ before: file }) => file?.content?.toString() ?? '');
    expect(kept.filter((content) => content.includes('canary'))).toEqual([]);
    // Both happened, so the race was real.
    expect(outcomes.done).toBeGreaterThan(0);
    expect(outcomes.refused).toBeGreaterThan(0);
  },
);
