import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { versionConfined, versionOfContent } from '@loom/tools/confined/version-confined';
import { expect, it, onTestFinished } from 'vitest';
import { applyStep } from './apply-step.ts';

const old = Buffer.from('old');
const target = versionOfContent(old, 0o640);
const load = async () => old;

async function workspaceWith(content: string) {
  const workspace = await mkdtemp(join(tmpdir(), 'loom-revert-'));
  onTestFinished(() => rm(workspace, { recursive: true, force: true }));
  await mkdir(join(workspace, 'd'));
  await writeFile(join(workspace, 'd/f'), content);
  return workspace;
}

it('leaves a file alone that changed since it was looked at', async () => {
  const workspace = await workspaceWith('looked at');
  const found = await versionConfined(workspace, 'd/f');
  await writeFile(join(workspace, 'd/f'), 'by hand');
  for (const goal of [target, null]) {
    const step = { path: 'd/f', target: goal, found, undone: [] };
    await expect(applyStep(workspace, step, load)).rejects.toThrow(/changed this very moment/);
  }
  expect(await readFile(join(workspace, 'd/f'), 'utf8')).toBe('by hand');
  expect(await readdir(join(workspace, 'd'))).toEqual(['f']);
});

it('is not led outside by a directory that became a link', async () => {
  const outside = await workspaceWith('safe');
  const workspace = await workspaceWith('safe');
  const found = await versionConfined(workspace, 'd/f');
  await rm(join(workspace, 'd'), { recursive: true });
  await symlink(join(outside, 'd'), join(workspace, 'd'));
  for (const goal of [target, null]) {
    const step = { path: 'd/f', target: goal, found, undone: [] };
    await expect(applyStep(workspace, step, load)).rejects.toThrow(/symbolic link/);
  }
  expect(await readFile(join(outside, 'd/f'), 'utf8')).toBe('safe');
});

it('answers with the file as it is afterwards', async () => {
  const workspace = await workspaceWith('new');
  const found = await versionConfined(workspace, 'd/f');
  const step = { path: 'd/f', target, found, undone: [] };
  expect(await applyStep(workspace, step, load)).toEqual(target);
  expect(await versionConfined(workspace, 'd/f')).toEqual({ ...target, content: old });
});
