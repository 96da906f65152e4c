import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionSchema } from '@loom/shared/api';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './test-support/test-gateway.ts';

let database: TestDatabase;
let gateway: TestGateway;
let client: Awaited<ReturnType<TestGateway['client']>>;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database);
  client = await gateway.client(['user']);
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

const plan = { subtasks: [{ id: 'a', description: 'do a' }] };
const delegate = (body: object) =>
  client.request('POST', '/api/tasks', { goal: 'x', plan, ...body });
const taskCount = async () =>
  (await database.rows<{ n: number }>('SELECT count(*)::int AS n FROM tasks'))[0]?.n;

it('refuses a workspace that cannot be used before anything is written', async () => {
  await writeFile(join(gateway.root, 'file'), '');
  for (const [workspace, reason] of [
    ['/etc', 'it lies outside'],
    ['file', 'it is not a directory'],
    ['file/below', 'it goes through something that is not a directory'],
  ] as const) {
    for (const path of ['/api/tasks', '/api/sessions']) {
      const asked = path === '/api/tasks' ? { goal: 'x', plan, workspace } : { workspace };
      const { status, body } = await client.request('POST', path, asked);
      expect(status).toBe(422);
      expect(body).toMatchObject({
        code: 'workspace_invalid',
        detail: expect.stringContaining(reason),
        errors: [{ path: 'workspace' }],
      });
    }
  }
  expect(await taskCount()).toBe(0);
});

it("refuses a task in its session's workspace when that is gone, and makes no empty one", async () => {
  const opened = await client.request('POST', '/api/sessions', { workspace: 'gone' });
  const { id: session_id, workspace } = sessionSchema.parse(opened.body);
  await rm(workspace ?? '', { recursive: true });
  for (let again = 0; again < 2; again += 1) {
    const { status, body } = await delegate({ session_id });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: 'workspace_invalid',
      detail: expect.stringContaining(`${workspace} cannot be the workspace: it does not exist`),
    });
  }
  expect((await delegate({ session_id, workspace: 'another' })).status).toBe(202);
  await mkdir(workspace ?? '');
  expect((await delegate({ session_id })).status).toBe(202);
});
