import { chmod, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { dataMarker } from '@loom/tools/confined/data-directory';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  dropUnused,
  resolveUsedWorkspace,
  resolveWorkspace,
  spellingsOf,
} from './resolve-workspace.ts';

let base: string;
let root: string;
let own: string;
const rules = () => ({ workspace_roots: [root], default_workspace: own });

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'loom-workspace-')));
  root = join(base, 'root');
  own = join(base, 'own');
});
afterEach(() => rm(base, { recursive: true, force: true }));

it('makes what is missing inside a root, the root included', async () => {
  expect(await resolveWorkspace('other/deep', rules())).toBe(join(root, 'other/deep'));
  expect(await resolveWorkspace(join(root, 'more'), rules())).toBe(join(root, 'more'));
  expect(await resolveWorkspace('.', rules())).toBe(root);
  expect(await readdir(root)).toEqual(['more', 'other']);
});

it('gives each that names none a new directory, which can be named afterwards', async () => {
  const first = await resolveWorkspace(undefined, rules());
  const second = await resolveWorkspace(undefined, rules());
  expect(first).not.toBe(second);
  expect(await readdir(own)).toEqual([first, second].map((path) => basename(path)).sort());
  expect(await resolveWorkspace(first, rules())).toBe(first);
  await expect(resolveWorkspace(own, rules())).rejects.toMatchObject({
    code: 'workspace_invalid',
    message: expect.stringContaining('it holds the workspaces of others'),
  });
});

it('starts in the directory of fresh workspaces when there is no root', async () => {
  const noRoot = { ...rules(), workspace_roots: [] };
  expect(await resolveWorkspace('a', noRoot)).toBe(join(own, 'a'));
});

it("refuses Loom's own data, but not the workspaces in it", async () => {
  const dataDir = join(root, '.loom');
  const inData = { workspace_roots: [root], default_workspace: join(dataDir, 'workspaces') };
  await mkdir(dataDir, { recursive: true });
  await writeFile(join(dataDir, dataMarker), '');
  await symlink(dataDir, join(root, 'link'));
  for (const wanted of ['.loom', '.loom/postgres', 'link', 'link/x', '.loom/workspaces-twin']) {
    await expect(resolveWorkspace(wanted, inData)).rejects.toMatchObject({
      code: 'workspace_invalid',
      message: expect.stringContaining("it belongs to Loom's own data"),
    });
  }
  expect(await readdir(dataDir)).toEqual([dataMarker]);
  const fresh = await resolveWorkspace(undefined, inData);
  expect(dirname(fresh)).toBe(inData.default_workspace);
  expect(await resolveWorkspace(fresh, inData)).toBe(fresh);
  // An operator's choice to keep workspaces in it opens neither the directory nor the database.
  const mixed = { ...inData, workspace_roots: [dataDir] };
  expect(await resolveWorkspace('x', mixed)).toBe(join(dataDir, 'x'));
  for (const path of ['.', 'postgres', 'postgres/base']) {
    await expect(resolveWorkspace(path, mixed)).rejects.toThrow("it belongs to Loom's own data");
  }
});

it('takes back only an empty directory that nobody kept', async () => {
  const made = await resolveWorkspace(undefined, rules());
  await dropUnused(made, made);
  expect(await readdir(own)).toEqual([basename(made)]);
  await writeFile(join(made, 'file'), '');
  await dropUnused(made, null);
  expect(await readdir(own)).toEqual([basename(made)]);
  await rm(join(made, 'file'));
  await dropUnused(made, 'another');
  expect(await readdir(own)).toEqual([]);
});

it('refuses what lies outside, by name or through a link, and makes nothing there', async () => {
  await mkdir(root);
  await mkdir(join(base, 'outside'));
  await symlink(join(base, 'outside'), join(root, 'link'));
  await symlink(join(base, 'nowhere'), join(root, 'dangling'));
  for (const wanted of [
    '/',
    base,
    `${root}-twin`,
    '../..',
    join(root, 'link'),
    join(root, 'link/x'),
  ]) {
    await expect(resolveWorkspace(wanted, rules())).rejects.toMatchObject({
      code: 'workspace_invalid',
      message: expect.stringContaining(root),
    });
  }
  await expect(resolveWorkspace(join(root, 'dangling'), rules())).rejects.toMatchObject({
    code: 'workspace_invalid',
  });
  await expect(realpath(join(base, 'outside/x'))).rejects.toThrow();
});

it('refuses a file, and a way through one', async () => {
  await mkdir(root);
  await writeFile(join(root, 'file'), '');
  for (const [wanted = '', reason = ''] of [
    ['file', 'it is not a directory'],
    ['file/below', 'it goes through something that is not a directory'],
    ['x'.repeat(300), 'it has a name that is too long'],
  ]) {
    const path = join(root, wanted);
    await expect(resolveWorkspace(path, rules())).rejects.toMatchObject({
      code: 'workspace_invalid',
      message: `${path} cannot be the workspace: ${reason}. Workspaces may lie in ${root}.`,
    });
  }
});

it('takes a root that is a link for what it leads to', async () => {
  await mkdir(root);
  await symlink(root, join(base, 'alias'));
  const aliased = { ...rules(), workspace_roots: [join(base, 'alias')] };
  expect(await resolveWorkspace('a', aliased)).toBe(join(root, 'a'));
  expect(await resolveWorkspace(join(root, 'a'), aliased)).toBe(join(root, 'a'));
  expect(await resolveWorkspace(join(base, 'alias/a'), rules())).toBe(join(root, 'a'));
});

it('gives all who ask for one missing directory at once the same', async () => {
  const asked = await Promise.all(
    Array.from({ length: 20 }, () => resolveWorkspace('new/deep', rules())),
  );
  expect(new Set(asked)).toEqual(new Set([join(root, 'new/deep')]));
});

it('never leaves the roots, however often a directory is swapped for a link', async () => {
  const swapped = join(root, 'a');
  const outside = join(base, 'outside');
  await mkdir(outside);
  let isOver = false;
  // A step that meets a directory being made fails; the next round clears it away.
  const tried = (step: Promise<unknown>) => step.catch(() => {});
  const swapping = (async () => {
    while (!isOver) {
      await tried(rm(swapped, { recursive: true, force: true }));
      await tried(symlink(outside, swapped));
      await tried(rm(swapped, { recursive: true, force: true }));
      await tried(mkdir(swapped, { recursive: true }));
    }
  })();
  try {
    for (let round = 0; round < 300; round += 1) {
      const answer = await resolveWorkspace(`a/${round}`, rules()).catch((error: unknown) => error);
      if (typeof answer === 'string') expect(answer.startsWith(`${root}/`)).toBe(true);
      else expect(answer).toMatchObject({ code: 'workspace_invalid' });
    }
  } finally {
    isOver = true;
    await swapping;
  }
});

it('does not make a workspace anew that was in use and is gone', async () => {
  const used = await resolveWorkspace('app', rules());
  expect(await resolveUsedWorkspace(used, rules())).toBe(used);
  await rm(used, { recursive: true });
  await expect(resolveUsedWorkspace(used, rules())).rejects.toMatchObject({
    code: 'workspace_invalid',
    message: expect.stringContaining(`${used} cannot be the workspace: it does not exist`),
  });
  await writeFile(used, '');
  await expect(resolveUsedWorkspace(used, rules())).rejects.toThrow('it is not a directory');
  expect(await readdir(root)).toEqual(['app']);
});

it.skipIf(process.getuid?.() === 0)(
  'refuses a directory that cannot be written to (not as root, who may write to all)',
  async () => {
    await mkdir(join(root, 'a'), { recursive: true });
    const reason = 'it may not be accessed with the permissions of this process';
    for (const [directory, wanted] of [
      [join(root, 'a'), 'a'],
      [root, 'missing'],
    ] as const) {
      await chmod(directory, 0o500);
      await expect(resolveWorkspace(wanted, rules())).rejects.toMatchObject({
        code: 'workspace_invalid',
        message: expect.stringContaining(reason),
      });
      await chmod(directory, 0o700);
    }
  },
);

it('knows a directory by all its spellings', async () => {
  await mkdir(join(root, 'a'), { recursive: true });
  await symlink(join(root, 'a'), join(root, 'b'));
  expect(await spellingsOf('b', rules())).toEqual(['b', join(root, 'b'), join(root, 'a')]);
});
