import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataMarker } from '@loom/tools/confined/data-directory';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { resolveReadRoots } from './resolve-read-roots.ts';

let base: string;
let root: string;
const rules = () => ({ workspace_roots: [root], default_workspace: join(base, 'own/workspaces') });
const resolve = (wanted: string[]) => resolveReadRoots(wanted, 'read_roots', rules());
const refused = (path: string, index: number, reason: string) => ({
  path: `read_roots.${index}`,
  message: expect.stringContaining(`${path} cannot be read beside the workspace: ${reason}`),
});

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'loom-read-roots-')));
  root = join(base, 'root');
  await mkdir(join(root, 'docs/deep'), { recursive: true });
});
afterEach(() => rm(base, { recursive: true, force: true }));

it('gives real paths, each once, of directories named in any way', async () => {
  await symlink(join(root, 'docs'), join(root, 'link'));
  expect(await resolve(['docs', join(root, 'docs/deep'), 'link', './docs/'])).toEqual([
    join(root, 'docs'),
    join(root, 'docs/deep'),
  ]);
  expect(await resolve(['.'])).toEqual([root]);
  expect(await resolve([])).toEqual([]);
});

it('finds a directory in each of several roots, one of them a link', async () => {
  await mkdir(join(base, 'second/api'), { recursive: true });
  await symlink(join(base, 'second'), join(base, 'alias'));
  const workspace_roots = [root, join(base, 'alias')];
  const wanted = [join(base, 'alias/api'), 'docs'];
  expect(await resolveReadRoots(wanted, 'f', { ...rules(), workspace_roots })).toEqual([
    join(base, 'second/api'),
    join(root, 'docs'),
  ]);
});

it('names every path that cannot be read, with its place and the reason', async () => {
  await writeFile(join(root, 'file'), '');
  await mkdir(join(base, 'outside'));
  await symlink(join(base, 'outside'), join(root, 'out'));
  const wanted = ['none', 'docs', 'file', 'out', '/etc', '/no/such', `${root}-twin`, 'file/below'];
  await expect(resolve(wanted)).rejects.toMatchObject({
    code: 'workspace_invalid',
    message: `${join(root, 'none')} cannot be read beside the workspace: it does not exist.`,
    details: {
      errors: [
        refused(join(root, 'none'), 0, 'it does not exist'),
        refused(join(root, 'file'), 2, 'it is not a directory'),
        refused(join(root, 'out'), 3, `it lies outside ${root}`),
        refused('/etc', 4, `it lies outside ${root}`),
        // Not said: whether it exists.
        refused('/no/such', 5, `it lies outside ${root}`),
        refused(`${root}-twin`, 6, `it lies outside ${root}`),
        refused(join(root, 'file/below'), 7, 'it cannot be reached'),
      ],
    },
  });
});

it("refuses what lies in Loom's own data, and what the data lies in", async () => {
  const dataDir = join(root, 'app/.loom');
  const default_workspace = join(dataDir, 'workspaces');
  await mkdir(join(default_workspace, 'ws_1'), { recursive: true });
  await writeFile(join(dataDir, dataMarker), '');
  await symlink(dataDir, join(root, 'link'));
  const inData = ['app/.loom', 'app/.loom/workspaces', 'app/.loom/workspaces/ws_1', 'link'];
  const wanted = [...inData, 'app', '.', 'docs'];
  const own = "it belongs to Loom's own data";
  await expect(
    resolveReadRoots(wanted, 'read_roots', { workspace_roots: [root], default_workspace }),
  ).rejects.toMatchObject({
    details: {
      errors: [
        ...inData.map((path, index) => refused(join(root, path), index, own)),
        refused(join(root, 'app'), 4, "Loom's own data lies in it"),
        refused(root, 5, "Loom's own data lies in it"),
      ],
    },
  });
  // A root below the marked directory does not open it either.
  const mixed = { workspace_roots: [join(dataDir, 'workspaces')], default_workspace };
  await expect(resolveReadRoots(['ws_1'], 'read_roots', mixed)).rejects.toThrow(own);
});

it.skipIf(process.getuid?.() === 0)(
  'refuses a directory that this process may not read (not as root, who may read all)',
  async () => {
    await chmod(join(root, 'docs'), 0o300);
    await expect(resolve(['docs'])).rejects.toThrow('it may not be read by this process');
    await chmod(join(root, 'docs'), 0o700);
  },
);
