import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../test-workspace.ts';
import { programPlaces } from './program-places.ts';

async function file(...parts: string[]): Promise<string> {
  const path = join(...parts);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, '');
  return path;
}

test('a package sees all packages around it', async () => {
  const root = await temporaryDirectory();
  const script = await file(root, 'node_modules/@a/server/node_modules/b/dist/index.js');
  const places = programPlaces('node', ['--no-warnings', script, '/etc']);
  expect(places).toContain(join(root, 'node_modules'));
  expect(places).not.toContain(root);
  expect(places).not.toContain('/etc');
});

test('a script sees its directory, the manifest above it and packages further up', async () => {
  const root = await temporaryDirectory();
  const script = await file(root, 'app/dist/index.js');
  const manifest = await file(root, 'app/package.json');
  await file(root, 'node_modules/b/index.js');
  await file(root, 'app/.env');
  expect(programPlaces('node', [script]).sort()).toEqual(
    [join(root, 'app/dist'), manifest, join(root, 'node_modules')].sort(),
  );
});

test('a program given by a link sees where the link leads', async () => {
  const root = await temporaryDirectory();
  const real = await file(root, 'opt/server/run');
  await mkdir(join(root, 'bin'));
  await symlink(real, join(root, 'bin/run'));
  const places = programPlaces(join(root, 'bin/run'), ['/etc/passwd']);
  expect(places).toEqual([join(root, 'bin'), join(root, 'opt/server')]);
});

test('a program found by its name, and what is only an argument, open nothing', () => {
  expect(programPlaces('npx', ['/etc/passwd'])).toEqual([]);
  expect(programPlaces('node', ['server.js', '/etc/passwd'])).toEqual([]);
});
