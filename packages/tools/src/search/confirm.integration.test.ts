import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../test-workspace.ts';
import { confirmMatches } from './confirm-matches.ts';
import { confirmPaths } from './confirm-paths.ts';

/** What a search program could name when a directory was swapped for a link under its feet. */
async function scene() {
  const base = await temporaryDirectory();
  const root = join(base, 'root');
  await mkdir(join(root, 'dir'), { recursive: true });
  await writeFile(join(base, 'secret.txt'), 'canary');
  await writeFile(join(root, 'a.txt'), 'one\ntwo');
  await symlink(join(base, 'secret.txt'), join(root, 'link.txt'));
  await symlink(base, join(root, 'dir-link'));
  await link(join(base, 'secret.txt'), join(root, 'hard.txt'));
  return root;
}

const elsewhere = ['none.txt', 'dir', 'link.txt', 'dir-link/secret.txt', 'none/at/all.txt'];

it('only regular files inside are confirmed as found', async () => {
  const root = await scene();
  expect(await confirmPaths(root, ['a.txt', ...elsewhere])).toEqual(['a.txt']);
});

it('only lines that stand in a file inside are confirmed as matches', async () => {
  const root = await scene();
  const canaries = [...elsewhere, 'hard.txt'].map((path) => ({ path, line: 1, text: 'canary' }));
  const matches = [
    { path: 'a.txt', line: 2, text: 'two' },
    { path: 'a.txt', line: 1, text: 'canary' },
    { path: 'a.txt', line: 3, text: '' },
    ...canaries,
  ];
  expect(await confirmMatches(root, matches)).toEqual(matches.slice(0, 1));
});
