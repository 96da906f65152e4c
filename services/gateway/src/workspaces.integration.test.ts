import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { sessionSchema, taskSchema } from '@loom/shared/api';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { dataMarker } from '@loom/tools/confined/data-directory';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './test-support/test-gateway.ts';

let project: string;
let own: string;
let database: TestDatabase;
let gateway: TestGateway;
let client: Awaited<ReturnType<TestGateway['client']>>;

beforeAll(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), 'loom-project-')));
  own = join(project, '.loom/workspaces');
  await mkdir(join(project, '.loom'));
  await writeFile(join(project, '.loom', dataMarker), '');
  database = await createTestDatabase();
  gateway = await startTestGateway(database, {
    workspace_roots: [project],
    default_workspace: own,
  });
  client = await gateway.client(['user']);
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
  await rm(project, { recursive: true, force: true });
});

const open = async (body: object, headers?: Record<string, string>) =>
  sessionSchema.parse((await client.request('POST', '/api/sessions', body, headers)).body);
const delegate = async (body: object, headers?: Record<string, string>) =>
  taskSchema.parse((await client.request('POST', '/api/tasks', body, headers)).body);

const plan = { subtasks: [{ id: 'a', description: 'do a' }] };

it('gives a session or task that names no workspace one of its own', async () => {
  const made = [await open({}), await open({}), await delegate({ goal: 'x', plan })];
  const paths = made.map(({ workspace }) => workspace ?? '');
  expect(paths.map((path) => dirname(path))).toEqual([own, own, own]);
  expect(new Set(paths).size).toBe(3);
  expect(await readdir(own)).toEqual(expect.arrayContaining(paths.map((path) => basename(path))));
});

it('lets a task inherit the workspace of its session, unless it names another', async () => {
  const fresh = await open({});
  const named = await open({ workspace: 'app' });
  expect(named.workspace).toBe(join(project, 'app'));
  const before = await readdir(own);
  for (const { id: session_id, workspace } of [fresh, named]) {
    expect((await delegate({ goal: 'x', plan, session_id })).workspace).toBe(workspace);
  }
  const other = await delegate({ goal: 'x', plan, session_id: fresh.id, workspace: 'other' });
  expect(other.workspace).toBe(join(project, 'other'));
  expect(await readdir(own)).toEqual(before);
});

it('leaves no second directory behind when a request is repeated', async () => {
  for (const [ask, body] of [
    [open, {}],
    [delegate, { goal: 'x', plan }],
  ] as const) {
    const headers = { 'idempotency-key': `repeat-${ask === open}` };
    const first = await ask(body, headers);
    const before = await readdir(own);
    expect(before).toContain(basename(first.workspace ?? ''));
    expect(await ask(body, headers)).toEqual(first);
    expect(await readdir(own)).toEqual(before);
  }
});

it("refuses Loom's own data as a workspace", async () => {
  for (const workspace of ['.loom', '.loom/postgres', join(project, '.loom'), own]) {
    for (const [path, body] of [
      ['/api/sessions', { workspace }],
      ['/api/tasks', { goal: 'x', plan, workspace }],
    ] as const) {
      const { status, body: problem } = await client.request('POST', path, body);
      expect(status).toBe(422);
      expect(problem).toMatchObject({ code: 'workspace_invalid' });
    }
  }
  expect((await readdir(join(project, '.loom'))).sort()).toEqual([dataMarker, 'workspaces']);
});
