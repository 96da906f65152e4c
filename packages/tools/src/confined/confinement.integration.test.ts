import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { AppError } from '@loom/shared/app-error';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../test-workspace.ts';
import { hashConfined } from './hash-confined.ts';
import { listConfined } from './list-confined.ts';
import { moveConfined } from './move-confined.ts';
import { readConfined } from './read-confined.ts';
import { removeConfined } from './remove-confined.ts';
import { statConfined } from './stat-confined.ts';
import { maxKeptBytes, versionConfined, versionOfContent } from './version-confined.ts';
import { writeConfinedAtomic } from './write-confined-atomic.ts';

const limits = { max_bytes: 1_000 };

/** A workspace beside a directory with a secret that must stay out of reach. */
async function scene() {
  const base = await temporaryDirectory();
  const workspace = join(base, 'workspace');
  const outside = join(base, 'outside');
  mkdirSync(workspace);
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  return { workspace, outside };
}

const read = async (workspace: string, path: string) =>
  (await readConfined(workspace, path, limits)).toString();

describe('inside the workspace', () => {
  it('writes, reads, lists, hashes and stats', async () => {
    const { workspace } = await scene();
    const first = await writeConfinedAtomic(workspace, 'a/b/c.txt', 'one', limits);
    expect(first.bytes).toBe(3);
    await writeConfinedAtomic(workspace, join(workspace, 'a/b/c.txt'), 'two', limits);
    expect(await read(workspace, 'a/b/c.txt')).toBe('two');
    expect(await statConfined(workspace, 'a/b')).toEqual({ kind: 'directory', bytes: 0 });
    expect(await statConfined(workspace, 'a/b/c.txt')).toEqual({ kind: 'file', bytes: 3 });
    const { entries, total } = await listConfined(workspace, 'a/b', { max_entries: 10 });
    // No temporary file is left behind.
    expect(entries).toEqual([{ name: 'c.txt', kind: 'file', bytes: 3 }]);
    expect(total).toBe(1);
    expect(await hashConfined(workspace, 'a/b/c.txt')).toEqual({
      sha256: '3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3',
      bytes: 3,
    });
  });

  it('says null for what is not there', async () => {
    const { workspace } = await scene();
    await writeConfinedAtomic(workspace, 'file', 'x', limits);
    for (const path of ['none', 'none/at/all', 'file/below']) {
      expect(await statConfined(workspace, path)).toBeNull();
      expect(await hashConfined(workspace, path)).toBeNull();
      expect(await versionConfined(workspace, path)).toBeNull();
    }
  });

  it('knows the version of a file, with its content unless it is too large', async () => {
    const { workspace } = await scene();
    const content = Buffer.alloc(maxKeptBytes, 'x');
    for (const extra of ['', '!']) {
      const whole = Buffer.concat([content, Buffer.from(extra)]);
      await writeFile(join(workspace, 'big'), whole, { mode: 0o600 });
      expect(await versionConfined(workspace, 'big')).toMatchObject({
        ...versionOfContent(whole, 0o600),
        content: extra === '' ? expect.any(Buffer) : null,
      });
    }
    expect(versionOfContent(Buffer.from('two'), 0o100750)).toEqual({
      hash: '3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3',
      size: 3,
      mode: 0o750,
    });
  });

  it('has put nothing anywhere while what was there is kept', async () => {
    const { workspace } = await scene();
    await writeFile(join(workspace, 'file'), 'old');
    let found: string[] = [];
    await writeConfinedAtomic(workspace, 'file', 'new', {
      ...limits,
      beforeChange: async () => {
        found = await readdir(workspace);
      },
    });
    expect(found).toEqual(['file']);
  });

  it('keeps the permissions of a replaced file', async () => {
    const { workspace } = await scene();
    await writeFile(join(workspace, 'run.sh'), 'old', { mode: 0o750 });
    await writeConfinedAtomic(workspace, 'run.sh', 'new', limits);
    const { stdout } = await execa('stat', ['-c', '%a', join(workspace, 'run.sh')]);
    expect(stdout).toBe('750');
  });

  it('refuses more than the limit, in and out', async () => {
    const { workspace } = await scene();
    await writeFile(join(workspace, 'big'), 'x'.repeat(1_001));
    await expect(read(workspace, 'big')).rejects.toThrow(/1001 bytes/);
    await expect(writeConfinedAtomic(workspace, 'big2', 'é'.repeat(501), limits)).rejects.toThrow(
      /1002 bytes/,
    );
    expect(await readdir(workspace)).toEqual(['big']);
  });

  it('writes nothing once the caller has gone', async () => {
    const { workspace } = await scene();
    const signal = AbortSignal.abort();
    await expect(
      writeConfinedAtomic(workspace, 'a/b', 'x', { ...limits, signal }),
    ).rejects.toThrow();
    expect(await readdir(workspace)).toEqual([]);
  });
});

describe('ways out', () => {
  it('follows no symbolic link at any component', async () => {
    const { workspace, outside } = await scene();
    await symlink(outside, join(workspace, 'dir-link'));
    await symlink(join(outside, 'secret.txt'), join(workspace, 'file-link'));
    await symlink(join(outside, 'new.txt'), join(workspace, 'dangling'));
    for (const path of ['dir-link/secret.txt', 'file-link']) {
      await expect(read(workspace, path)).rejects.toThrow(/is a symbolic link/);
      await expect(hashConfined(workspace, path)).rejects.toThrow(/is a symbolic link/);
      await expect(versionConfined(workspace, path)).rejects.toThrow(/is a symbolic link/);
    }
    for (const path of ['dir-link/new.txt', 'dir-link/sub/new.txt', 'file-link', 'dangling']) {
      await expect(writeConfinedAtomic(workspace, path, 'x', limits)).rejects.toThrow(
        /is a symbolic link/,
      );
    }
    await expect(listConfined(workspace, 'dir-link', { max_entries: 9 })).rejects.toThrow(
      /is a symbolic link/,
    );
    await expect(statConfined(workspace, 'dir-link/secret.txt')).rejects.toThrow(AppError);
    expect(await statConfined(workspace, 'dangling')).toEqual({ kind: 'symlink', bytes: 0 });
    expect(await readdir(outside)).toEqual(['secret.txt']);
  });

  it('neither removes nor moves links and special files', async () => {
    const { workspace, outside } = await scene();
    await symlink(join(outside, 'secret.txt'), join(workspace, 'file-link'));
    await symlink(outside, join(workspace, 'dir-link'));
    await execa('mkfifo', [join(workspace, 'pipe')]);
    for (const [path, words] of [
      ['file-link', /is a symbolic link/],
      ['dir-link', /is a symbolic link/],
      ['dir-link/secret.txt', /is a symbolic link/],
      ['pipe', /not a regular file/],
    ] as const) {
      await expect(removeConfined(workspace, path)).rejects.toThrow(words);
      await expect(moveConfined(workspace, path, 'new/x')).rejects.toThrow(words);
    }
    await writeFile(join(workspace, 'mine'), '');
    await expect(moveConfined(workspace, 'mine', 'dir-link/x')).rejects.toThrow(/symbolic link/);
    await expect(moveConfined(workspace, 'mine', 'file-link')).rejects.toThrow(/exists already/);
    expect(await readdir(workspace)).toEqual(['dir-link', 'file-link', 'mine', 'pipe']);
    expect(await readdir(outside)).toEqual(['secret.txt']);
  });

  it('refuses a workspace that is itself a link', async () => {
    const { workspace, outside } = await scene();
    await symlink(outside, join(workspace, 'other'));
    await expect(read(join(workspace, 'other'), 'secret.txt')).rejects.toThrow(/symbolic link/);
  });

  it('does not read a hard link and does not write through it', async () => {
    const { workspace, outside } = await scene();
    await link(join(outside, 'secret.txt'), join(workspace, 'hard'));
    await expect(read(workspace, 'hard')).rejects.toThrow(/hard link/);
    expect(await versionConfined(workspace, 'hard')).toMatchObject({ size: 6, content: null });
    await writeConfinedAtomic(workspace, 'hard', 'mine', limits);
    expect(await read(workspace, 'hard')).toBe('mine');
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  it('refuses pipes, sockets and directories without waiting', async () => {
    const { workspace } = await scene();
    await execa('mkfifo', [join(workspace, 'pipe')]);
    const server = createServer().listen(join(workspace, 'socket'));
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    await mkdir(join(workspace, 'dir'));
    for (const path of ['pipe', 'socket']) {
      await expect(read(workspace, path)).rejects.toThrow(/not a regular file/);
      await expect(versionConfined(workspace, path)).rejects.toThrow(/not a regular file/);
      await expect(writeConfinedAtomic(workspace, path, 'x', limits)).rejects.toThrow(
        /not a regular file/,
      );
    }
    await expect(read(workspace, 'dir')).rejects.toThrow(/is a directory/);
    await expect(writeConfinedAtomic(workspace, 'dir', 'x', limits)).rejects.toThrow(
      /is a directory/,
    );
    await expect(read(workspace, '.')).rejects.toThrow(/itself/);
  });

  it('speaks of the path that was asked for, not of descriptors', async () => {
    const { workspace } = await scene();
    await expect(read(workspace, 'none/x')).rejects.toThrow(/^none does not exist$/);
  });
});

/** Swaps `dir` between a real directory and a link to the outside until it is killed. */
const swapper = `
  import { renameSync } from 'node:fs';
  let aside = 0;
  const put = (name) => {
    for (;;) {
      try {
        return renameSync(name, 'dir');
      } catch {
        // The writer found nothing there and created the directory anew.
        renameSync('dir', 'aside-' + aside++);
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

describe.runIf(process.platform === 'linux')('a race', () => {
  it('never lets a swapped directory lead outside', async () => {
    const { workspace, outside } = await scene();
    await mkdir(join(workspace, 'dir'));
    await writeFile(join(workspace, 'dir', 'secret.txt'), 'inside');
    await symlink(outside, join(workspace, 'link'));
    const script = join(workspace, 'swapper.mjs');
    await writeFile(script, swapper);
    const child = fork(script, { cwd: workspace });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'message');

    const outcomes = { done: 0, refused: 0 };
    const attempt = async (deed: () => Promise<unknown>) => {
      try {
        await deed();
        outcomes.done++;
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        outcomes.refused++;
      }
    };
    for (let round = 0; round < 400; round++) {
      await attempt(() => writeConfinedAtomic(workspace, `dir/${round}.txt`, 'x', limits));
      await attempt(async () => expect(await read(workspace, 'dir/secret.txt')).toBe('inside'));
    }
    child.kill('SIGKILL');
    await once(child, 'exit');

    expect(await readdir(outside)).toEqual(['secret.txt']);
    // Both happened, so the race was real.
    expect(outcomes.done).toBeGreaterThan(0);
    expect(outcomes.refused).toBeGreaterThan(0);
  });
});
