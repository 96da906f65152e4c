import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-support/test-gateway.ts';
import { type ChangingWorld, changingWorld, type Hand } from './test-support/changing-world.ts';

type Client = Awaited<ReturnType<TestGateway['client']>>;

let database: TestDatabase;
let gateway: TestGateway;
let world: ChangingWorld;
let user: Client;

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

const put = ({ workspace }: Hand, path: string, content: string | Buffer) =>
  writeFile(join(workspace, path), content);

async function get({ task_id }: Hand, what: string, accept = 'application/json') {
  const path = `/api/tasks/${task_id}/${what}`;
  const { status, body, headers } = await user.request('GET', path, undefined, { accept });
  return { status, type: headers.get('content-type'), body };
}

const files = async (hand: Hand, query = '') =>
  (await get(hand, `files${query}`)).body as {
    items: Record<string, unknown>[];
    next_cursor: string | null;
  };

const patch = async (hand: Hand, query = '') =>
  String((await get(hand, `diff${query}`, 'text/x-diff')).body);

async function contentsOf(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).sort();
  const read = (name: string) => readFile(join(directory, name), 'utf8');
  return Promise.all(names.map(async (name) => `${name}: ${await read(name)}`));
}

/** One file of each fate. */
async function mixedTask(): Promise<Hand> {
  const hand = await world.startTask(user);
  for (const path of ['back', 'deleted', 'modified']) await put(hand, path, `${path}\n`);
  await world.write(hand, 'created', 'new\n');
  await world.write(hand, 'modified', 'one\n');
  await world.write({ ...hand, subtask_id: 'b' }, 'modified', 'two\n');
  await world.remove(hand, 'deleted');
  await world.write(hand, 'back', 'x');
  await world.write(hand, 'back', 'back\n');
  return hand;
}

it('lists what became of each file', async () => {
  const hand = await mixedTask();
  const running = (await files(hand)).items;
  expect(new Set(running.map(({ reason }) => reason))).toEqual(
    new Set(['the task is not over: it is running']),
  );
  await world.end(user, hand);
  const { items, next_cursor } = await files(hand);
  expect(next_cursor).toBeNull();
  expect(items.map(({ path, status, revertible }) => [path, status, revertible])).toEqual([
    ['back', 'unchanged', false],
    ['created', 'created', true],
    ['deleted', 'deleted', true],
    ['modified', 'modified', true],
  ]);
  const at = expect.any(String);
  const call = { tool: 'write_file', attempt: 1, status: 'done', at };
  expect(items[3]).toEqual({
    path: 'modified',
    status: 'modified',
    before_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    after_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    before_size: 9,
    after_size: 4,
    changes: [
      { ...call, subtask_id: 'a', call_key: expect.any(String) },
      { ...call, subtask_id: 'b', call_key: expect.any(String) },
    ],
    revertible: true,
    reason: null,
  });
  expect(items[1]).toMatchObject({ before_hash: null, before_size: null });
  await put(hand, 'created', 'by hand');
  expect((await files(hand)).items[1]).toMatchObject({
    revertible: false,
    reason: 'it was changed later, outside Loom',
  });
});

it('lists in pages, one subtask alone, and nothing of a task that changed nothing', async () => {
  const hand = await mixedTask();
  const first = await files(hand, '?limit=3');
  expect(first.items).toHaveLength(3);
  const rest = await files(hand, `?limit=3&cursor=${first.next_cursor}`);
  expect(rest.items.map(({ path }) => path)).toEqual(['modified']);
  const ofB = await files(hand, '?subtask_id=b');
  expect(ofB.items).toMatchObject([{ path: 'modified', before_size: 4 }]);
  expect(await files(await world.startTask(user))).toEqual({ items: [], next_cursor: null });
});

it('shows the changes as a patch that git applies', async () => {
  const hand = await mixedTask();
  await world.end(user, hand);
  const copy = join(gateway.root, 'copy');
  await mkdir(copy);
  for (const path of ['back', 'deleted', 'modified']) {
    await writeFile(join(copy, path), `${path}\n`);
  }
  const text = await patch(hand);
  execFileSync('git', ['apply', '-'], { cwd: copy, input: text });
  expect(await contentsOf(copy)).toEqual(await contentsOf(hand.workspace));
  const { body } = await get(hand, 'diff');
  const { items } = body as { items: { path: string; status: string; diff: string }[] };
  expect(items.map(({ path, status }) => [path, status])).toEqual([
    ['created', 'created'],
    ['deleted', 'deleted'],
    ['modified', 'modified'],
  ]);
  expect(items.map(({ diff }) => diff).join('')).toBe(text);
  expect((await get(hand, 'diff', 'text/plain')).type).toBe('text/plain; charset=utf-8');
});

it('shows one file or one subtask, also after the disk went on', async () => {
  const hand = await mixedTask();
  expect(await patch(hand, '?path=created')).toContain('+new');
  const ofB = await patch(hand, '?subtask_id=b');
  expect(ofB).toContain('-one\n+two\n');
  const ofA = await patch(hand, '?subtask_id=a&path=modified');
  // What subtask a left is gone from the disk; the next change has kept it.
  expect(ofA).toContain('-modified\n+one\n');
  await put(hand, 'modified', 'by hand\n');
  expect(await patch(hand, '?path=modified')).toBe(
    '# modified has content that is not kept any more\n',
  );
  expect((await get(hand, 'diff?path=none')).status).toBe(404);
});

it('says of binary files that they are, and nothing of what was reverted', async () => {
  const hand = await world.startTask(user);
  await put(hand, 'b.bin', Buffer.from([0, 1, 2]));
  await world.write(hand, 'b.bin', 'text');
  expect(await patch(hand)).toBe('# b.bin is a binary file\n');
  await world.end(user, hand);
  await user.post(`/api/tasks/${hand.task_id}/revert`);
  expect(await readFile(join(hand.workspace, 'b.bin'))).toEqual(Buffer.from([0, 1, 2]));
  expect(await patch(hand)).toBe('');
  const [item] = (await files(hand)).items;
  expect(item).toMatchObject({ status: 'unchanged', revertible: false });
  expect(item?.changes).toMatchObject([
    { tool: 'write_file', subtask_id: 'a' },
    { tool: 'revert', subtask_id: 'a', attempt: null, status: 'done' },
  ]);
});

it('bounds what it shows at once', async () => {
  const hand = await world.startTask(user);
  for (const path of ['a', 'b', 'c']) await world.write(hand, path, `${'x'.repeat(600_000)}\n`);
  const text = await patch(hand);
  expect(text.length).toBeLessThan(1_300_000);
  expect(text).toContain('# b has too long a diff to be shown with the others\n');
  expect((await patch(hand, '?path=c')).length).toBeGreaterThan(600_000);
});

it('stands in the document', async () => {
  const { body } = await user.request('GET', '/openapi.json');
  const { paths } = body as { paths: Record<string, Record<string, { responses: unknown }>> };
  for (const [path, method] of [
    ['files', 'get'],
    ['diff', 'get'],
    ['revert', 'post'],
  ] as const) {
    expect(paths[`/api/tasks/{id}/${path}`]?.[method]?.responses).toHaveProperty('200');
  }
});
