import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testEnv } from '../env.ts';
import { findOrphans } from './find-orphans.ts';

it.runIf(process.platform === 'linux')('finds processes by marker and by directory', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'loom-orphans-'));
  const marker = `LOOM_ORPHAN_TEST=${process.pid}`;
  const PATH = testEnv().path;
  const marked = spawn('sleep', ['61'], { env: { PATH, LOOM_ORPHAN_TEST: String(process.pid) } });
  const placed = spawn('sleep', ['62'], { env: { PATH }, cwd: directory });
  await Promise.all([once(marked, 'spawn'), once(placed, 'spawn')]);

  const found = await findOrphans({ marker, directory });
  expect(found.sort()).toEqual([`${marked.pid}: sleep 61`, `${placed.pid}: sleep 62`].sort());
  expect(await findOrphans({ marker, directory, except: [marked.pid ?? 0] })).toHaveLength(1);

  for (const child of [marked, placed]) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  expect(await findOrphans({ marker, directory })).toEqual([]);
  await rm(directory, { recursive: true });
});
