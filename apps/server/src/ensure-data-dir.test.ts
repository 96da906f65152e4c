import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDataDirectory } from '@loom/tools/confined/data-directory';
import { expect, it, onTestFinished } from 'vitest';
import { ensureDataDir } from './ensure-data-dir.ts';

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'loom-data-dir-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

it('makes a private directory with the mark that tools obey, however often it is called', async () => {
  const dataDir = join(await temporaryDirectory(), 'deep/.loom');
  await Promise.all([ensureDataDir(dataDir), ensureDataDir(dataDir)]);
  await ensureDataDir(dataDir);
  expect(await isDataDirectory(dataDir)).toBe(true);
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
});

it('marks a directory that was there before and keeps what is in it', async () => {
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, 'admin.key'), 'key');
  await ensureDataDir(dataDir);
  expect(await isDataDirectory(dataDir)).toBe(true);
  expect(await readdir(dataDir)).toContain('admin.key');
});

it('says what to do when the path is taken by a file', async () => {
  const file = join(await temporaryDirectory(), 'file');
  await writeFile(file, '');
  await expect(ensureDataDir(file)).rejects.toMatchObject({
    code: 'invalid_config',
    message: expect.stringContaining('Set LOOM_DATA_DIR'),
  });
});
