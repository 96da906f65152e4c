import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { versionConfined } from '@loom/tools/confined/version-confined';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-support/test-gateway.ts';
import { type ChangingWorld, changingWorld, type Hand } from './test-support/changing-world.ts';

type Client = Awaited<ReturnType<TestGateway['client']>>;

let database: TestDatabase;
let gateway: TestGateway;
let world: ChangingWorld;
let user: Client;
let hand: Hand;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database);
  world = changingWorld(gateway, database);
  user = await gateway.client(['user']);
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});
beforeEach(async () => {
  hand = await world.startTask(user);
});

const b = () => ({ ...hand, subtask_id: 'b' });

async function put(path: string, content: string | Buffer, mode = 0o644) {
  const place = join(hand.workspace, path);
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, content);
  await chmod(place, mode);
}

async function see(path: string): Promise<string | null> {
  return readFile(join(hand.workspace, path), 'utf8').catch(() => null);
}

const modeOf = async (path: string) => (await stat(join(hand.workspace, path))).mode & 0o777;

async function revert(body: Record<string, string> = {}, headers: Record<string, string> = {}) {
  const path = `/api/tasks/${hand.task_id}/revert`;
  const { status, body: answer } = await user.request('POST', path, body, headers);
  return { status, body: answer as Record<string, unknown> & { revert_id: string } };
}

/** Refused for these paths, and nothing happened. */
async function expectConflict(body: Record<string, string>, errors: Record<string, string>) {
  const answer = await revert(body);
  const told = Object.entries(errors).map(([path, message]) => ({ path, message }));
  expect(answer).toMatchObject({ status: 409, body: { code: 'revert_conflict', errors: told } });
}

describe('puts back', () => {
  it('what a task created, changed, deleted and moved, and keeps permissions', async () => {
    await put('run.sh', 'old', 0o755);
    await put('gone/secret', 'secret', 0o600);
    await put('from.bin', Buffer.from([0, 255, 1]), 0o640);
    await world.write(hand, 'run.sh', 'new');
    await world.write(hand, 'run.sh', 'newer');
    await world.write(hand, 'deep/down/new.txt', 'x');
    await world.remove(b(), 'gone/secret');
    await world.move(b(), 'from.bin', 'moved/to.bin');
    await world.end(user, hand);
    const { status, body } = await revert();
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        revert_id: expect.stringMatching(/^rev_/),
        reverted: [
          { path: 'deep/down/new.txt', action: 'removed' },
          { path: 'from.bin', action: 'recreated' },
          { path: 'gone/secret', action: 'recreated' },
          { path: 'moved/to.bin', action: 'removed' },
          { path: 'run.sh', action: 'restored' },
        ],
        unchanged: [],
      },
    });
    expect((await readdir(hand.workspace)).sort()).toEqual(['from.bin', 'gone', 'run.sh']);
    expect([await see('run.sh'), await see('gone/secret')]).toEqual(['old', 'secret']);
    expect(await readFile(join(hand.workspace, 'from.bin'))).toEqual(Buffer.from([0, 255, 1]));
    expect(await Promise.all(['run.sh', 'gone/secret', 'from.bin'].map(modeOf))).toEqual([
      0o755, 0o600, 0o640,
    ]);
  });

  it('one file', async () => {
    await world.write(hand, 'one', '1');
    await world.write(hand, 'two', '2');
    await world.end(user, hand);
    expect(await revert({ path: './one' })).toMatchObject({
      body: { reverted: [{ path: 'one', action: 'removed' }] },
    });
    expect([await see('one'), await see('two')]).toEqual([null, '2']);
  });

  it('one subtask, while others still work', async () => {
    await world.write(hand, 'both', 'a');
    await world.write(b(), 'both', 'b');
    await world.write(hand, 'mine', 'a');
    expect((await revert({ subtask_id: 'b' })).body.detail).toMatch(/the subtask is not over/);
    await database.rows(
      `UPDATE subtasks SET status = 'completed' WHERE task_id = $1 AND id = 'b'`,
      [hand.task_id],
    );
    expect((await revert({ subtask_id: 'b' })).status).toBe(200);
    expect([await see('both'), await see('mine')]).toEqual(['a', 'a']);
    expect((await revert()).body.detail).toMatch(/the task is not over/);
    await world.end(user, hand);
    expect((await revert({ subtask_id: 'a' })).status).toBe(200);
    expect([await see('both'), await see('mine')]).toEqual([null, null]);
  });

  it('a file that became a directory, and a directory that became a file', async () => {
    await put('a', 'file');
    await put('d/inside', 'x');
    await world.remove(hand, 'a');
    await world.write(hand, 'a/new/x', '1');
    await world.move(hand, 'd/inside', 'elsewhere');
    await world.record(hand, 'shell_execute', async () => {
      await rmdir(join(hand.workspace, 'd'));
      return [];
    });
    await world.write(hand, 'd', 'file');
    await world.end(user, hand);
    expect((await revert()).status).toBe(200);
    expect([await see('a'), await see('d/inside')]).toEqual(['file', 'x']);
  });

  it('a revert, and then again what it had undone', async () => {
    await put('f', '0');
    await world.write(hand, 'f', '1');
    await world.end(user, hand);
    const first = await revert();
    expect(await see('f')).toBe('0');
    expect((await revert()).body).toMatchObject({ reverted: [], unchanged: ['f'] });
    expect((await revert({ revert_id: first.body.revert_id })).status).toBe(200);
    expect(await see('f')).toBe('1');
    expect((await revert()).body).toMatchObject({ reverted: [{ path: 'f', action: 'restored' }] });
    expect(await see('f')).toBe('0');
    expect((await revert({ revert_id: 'rev_none' })).status).toBe(404);
  });

  it('what a call left that was cut off, as far as the disk shows it', async () => {
    await put('f', '0');
    await put('untouched', '0');
    await world.record(hand, 'write_file', async (keep) => {
      for (const path of ['f', 'untouched']) {
        await keep([{ path, before: await versionConfined(hand.workspace, path) }]);
      }
      await put('f', 'half');
      return 'cut off';
    });
    await world.end(user, hand);
    expect((await revert()).body).toMatchObject({
      reverted: [{ path: 'f', action: 'restored' }],
      unchanged: ['untouched'],
    });
    expect(await see('f')).toBe('0');
  });
});

describe('refuses', () => {
  it('to lose what others wrote later, and then touches nothing', async () => {
    await put('mine', '0');
    await world.write(hand, 'mine', '1');
    await world.write(hand, 'shared', 'a');
    await world.write(b(), 'shared', 'b');
    const other = await world.startTask(user, { workspace: hand.workspace });
    await world.write(hand, 'theirs', 'a');
    await world.write(other, 'theirs', 'other');
    await world.end(user, hand);
    await expectConflict({}, { theirs: `it was changed later by task ${other.task_id}` });
    await expectConflict(
      { subtask_id: 'a' },
      {
        shared: 'it was changed later by subtask b',
        theirs: `it was changed later by task ${other.task_id}`,
      },
    );
    expect(await see('mine')).toBe('1');
    expect((await revert({ path: 'mine' })).status).toBe(200);
    expect([await see('mine'), await see('shared')]).toEqual(['0', 'b']);
  });

  it('what a person changed, removed or replaced by a link', async () => {
    for (const path of ['changed', 'removed', 'linked']) await world.write(hand, path, 'x');
    await put('changed', 'by hand');
    await rm(join(hand.workspace, 'removed'));
    await put('removed', 'other');
    await rm(join(hand.workspace, 'linked'));
    await put('../outside', 'safe');
    await symlink(join(gateway.root, 'outside'), join(hand.workspace, 'linked'));
    await world.end(user, hand);
    await expectConflict(
      {},
      {
        changed: 'it was changed later, outside Loom',
        linked: expect.stringMatching(/symbolic link/),
        removed: 'it was changed later, outside Loom',
      },
    );
    expect(await readFile(join(gateway.root, 'outside'), 'utf8')).toBe('safe');
  });

  it('a directory that others filled where a file was', async () => {
    await put('a', 'file');
    await world.remove(hand, 'a');
    await put('a/theirs', 'x');
    await world.end(user, hand);
    await expectConflict({}, { a: 'a directory is in its place now' });
  });

  it('beside a call of someone else that is not over', async () => {
    await world.write(hand, 'f', '1');
    const other = await world.startTask(user, { workspace: hand.workspace });
    await world.record(other, 'edit_file', async (keep) => {
      await keep([{ path: 'f', before: await versionConfined(hand.workspace, 'f') }]);
      return 'cut off';
    });
    await world.end(user, hand);
    await expectConflict({}, { f: 'a call that is not over may still be changing it' });
    await world.end(user, other);
    expect((await revert()).status).toBe(200);
  });

  it('what was too large to keep', async () => {
    await put('f', 'large');
    await world.record(hand, 'shell_execute', async (keep) => {
      const before = await versionConfined(hand.workspace, 'f');
      if (before !== null) await keep([{ path: 'f', before: { ...before, content: null } }]);
      await put('f', 'small');
      const after = await versionConfined(hand.workspace, 'f');
      return [{ path: 'f', after }];
    });
    await world.end(user, hand);
    await expectConflict({}, { f: 'its earlier content was too large to be kept' });
  });

  it('what is not there, and what is of others', async () => {
    await world.write(hand, 'f', '1');
    await world.end(user, hand);
    const stranger = await gateway.client(['user'], 'other');
    const path = `/api/tasks/${hand.task_id}`;
    expect((await stranger.request('POST', `${path}/revert`, {})).status).toBe(404);
    expect((await stranger.request('GET', `${path}/files`)).status).toBe(404);
    expect((await stranger.request('GET', `${path}/diff`)).status).toBe(404);
    expect((await revert({ path: 'none' })).status).toBe(404);
    expect((await revert({ subtask_id: 'none' })).status).toBe(404);
    expect((await revert({ path: '../f' })).status).toBe(403);
    expect((await revert({ what: 'f' })).status).toBe(422);
    expect(await see('f')).toBe('1');
  });
});
