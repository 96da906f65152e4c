import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { problemSchema, sessionSchema, type Task, taskSchema } from '@loom/shared/api';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { dataMarker } from '@loom/tools/confined/data-directory';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './test-support/test-gateway.ts';

let project: string;
let database: TestDatabase;
let gateway: TestGateway;
let client: Awaited<ReturnType<TestGateway['client']>>;

beforeAll(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), 'loom-read-roots-')));
  await mkdir(join(project, '.loom'));
  await writeFile(join(project, '.loom', dataMarker), '');
  for (const name of ['app', 'docs', 'api']) await mkdir(join(project, name));
  await symlink(join(project, 'docs'), join(project, 'link'));
  database = await createTestDatabase();
  gateway = await startTestGateway(database, {
    workspace_roots: [project],
    default_workspace: join(project, '.loom/workspaces'),
  });
  client = await gateway.client(['user']);
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
  await rm(project, { recursive: true, force: true });
});

const plan = { subtasks: [{ id: 'a', description: 'do a' }] };
const at = (...names: string[]) => names.map((name) => join(project, name));
const open = async (body: object) =>
  sessionSchema.parse((await client.request('POST', '/api/sessions', body)).body);
const delegate = async (body: object) => {
  const asked = { goal: 'x', plan, workspace: 'app', ...body };
  return taskSchema.parse((await client.request('POST', '/api/tasks', asked)).body);
};
const refusal = async (path: string, body: object) => {
  const { status, body: problem } = await client.request('POST', path, body);
  return { ...problemSchema.parse(problem), status };
};
const rootsOf = async ({ id, read_roots }: Task) => {
  const shown = taskSchema.parse((await client.request('GET', `/api/tasks/${id}`)).body);
  expect(shown.read_roots).toEqual(read_roots);
  return read_roots;
};

it('stores what a task may read beside its workspace as real paths', async () => {
  expect(await rootsOf(await delegate({}))).toEqual([]);
  const task = await delegate({ read_roots: ['link', join(project, 'api'), 'docs'] });
  expect(await rootsOf(task)).toEqual(at('docs', 'api'));
});

it('stores the grants of a session with real paths, and keeps what it does not know', async () => {
  const grants = { tools: ['write_file'], network: true, read_roots: ['link'], folders: [1] };
  const session = await open({ workspace: 'app', grants });
  expect(session.grants).toEqual({ ...grants, read_roots: at('docs') });
  expect((await open({ workspace: 'app' })).grants).toEqual({});
});

it('tells what a task was given itself apart from what its session grants', async () => {
  const { id: session_id } = await open({ workspace: 'app', grants: { read_roots: ['docs'] } });
  expect(await rootsOf(await delegate({ session_id }))).toEqual([]);
  const own = await delegate({ session_id, read_roots: ['api'] });
  expect(await rootsOf(own)).toEqual(at('api'));
  await client.request('POST', `/api/sessions/${session_id}/end`);
  expect(await rootsOf(own)).toEqual(at('api'));
});

it('refuses what may not be read, naming the path and why', async () => {
  const reasons: [string, string][] = [
    ['none', 'it does not exist'],
    ['/etc', `it lies outside ${project}`],
    ['.loom', "it belongs to Loom's own data"],
    ['.', "Loom's own data lies in it"],
  ];
  for (const [path, reason] of reasons) {
    const read_roots = ['docs', path];
    const task = await refusal('/api/tasks', { goal: 'x', plan, workspace: 'app', read_roots });
    const session = await refusal('/api/sessions', { workspace: 'app', grants: { read_roots } });
    for (const [problem, field] of [
      [task, 'read_roots.1'],
      [session, 'grants.read_roots.1'],
    ] as const) {
      expect(problem).toMatchObject({ status: 422, code: 'workspace_invalid' });
      expect(problem.detail).toContain(reason);
      expect(problem.errors).toEqual([
        { path: field, message: expect.stringContaining(resolve(project, path)) },
      ]);
    }
  }
});

it('refuses grants of the wrong shape, each with its path', async () => {
  const grants = { tools: ['a', 7], network: 'yes', read_roots: 'docs' };
  const problem = await refusal('/api/sessions', { grants });
  expect(problem).toMatchObject({ status: 422, code: 'invalid_request' });
  const paths = (problem.errors ?? []).map((error) => 'path' in error && error.path);
  expect(paths.sort()).toEqual(['grants.network', 'grants.read_roots', 'grants.tools.1']);
  const many = Array.from({ length: 21 }, () => 'docs');
  for (const [path, body, field] of [
    ['/api/sessions', { grants: { read_roots: many } }, 'grants.read_roots'],
    ['/api/tasks', { goal: 'x', plan, read_roots: many }, 'read_roots'],
    ['/api/tasks', { goal: 'x', plan, read_roots: [''] }, 'read_roots.0'],
  ] as const) {
    expect(await refusal(path, body)).toMatchObject({ status: 422, errors: [{ path: field }] });
  }
});
