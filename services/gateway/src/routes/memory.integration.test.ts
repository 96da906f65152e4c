import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-support/test-gateway.ts';

let database: TestDatabase;
let gateway: TestGateway;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway(database);
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

it('lists what was learnt in a task, in pages, to nobody else', async () => {
  const user = await gateway.client(['user']);
  const stranger = await gateway.client(['user'], 'other');
  const plan = { subtasks: [{ id: 'a', description: 'a' }] };
  const { id } = await user.createTask({ goal: 'x', plan });
  const path = `/api/tasks/${id}/memory`;
  expect((await user.request('GET', path)).body).toEqual({ items: [], next_cursor: null });
  await database.rows(
    `INSERT INTO memory_entries (id, tenant_id, task_id, subtask_id, attempt, type, summary, tags)
     SELECT 'mem_' || n, 'default', $1, 'a', 1, 'decision', 'rule ' || n, '{style}' FROM generate_series(1, 3) n`,
    [id],
  );
  const first = (await user.request('GET', `${path}?limit=2`)).body as {
    items: unknown[];
    next_cursor: string;
  };
  expect(first.items).toEqual([
    {
      id: 'mem_1',
      task_id: id,
      subtask_id: 'a',
      attempt: 1,
      type: 'decision',
      summary: 'rule 1',
      detail: '',
      tags: ['style'],
      created_at: expect.stringMatching(/Z$/),
    },
    expect.objectContaining({ id: 'mem_2' }),
  ]);
  const rest = await user.request('GET', `${path}?limit=2&cursor=${first.next_cursor}`);
  expect(rest.body).toMatchObject({ items: [{ id: 'mem_3' }], next_cursor: null });
  expect((await user.request('GET', `${path}?cursor=x`)).status).toBe(422);
  expect((await stranger.request('GET', path)).status).toBe(404);
});
