import { todoSchema } from '@loom/shared/todo';
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

it('gives the todos of a turn in order, to its tenant alone', async () => {
  const user = await gateway.client(['user']);
  const stranger = await gateway.client(['user'], 'other');
  const open = async () =>
    ((await user.request('POST', '/api/sessions', {})).body as { id: string }).id;
  const session = await open();
  const elsewhere = await open();
  const path = `/api/sessions/${session}/todos`;
  expect((await user.request('GET', path)).body).toEqual({ items: [] });

  await database.rows(
    `INSERT INTO turns (id, tenant_id, session_id, status, created_at, started_at) VALUES
      ('turn_1', 'default', $1, 'completed', now() - interval '2 min', now()),
      ('turn_2', 'default', $1, 'running', now() - interval '1 min', now()),
      ('turn_3', 'default', $1, 'queued', now(), NULL)`,
    [session],
  );
  await database.rows(
    `INSERT INTO todos (id, tenant_id, session_id, turn_id, call_key, position, title, status, outcome, completed_at)
      VALUES ('todo_b', 'default', $1, 'turn_1', 'k', 1, 'second', 'pending', '', NULL),
        ('todo_a', 'default', $1, 'turn_1', 'k', 0, 'first', 'completed', 'done', now()),
        ('todo_c', 'default', $1, 'turn_2', 'k', 0, 'third', 'pending', '', NULL)`,
    [session],
  );
  const { items } = (await user.request('GET', `${path}?turn_id=turn_1`)).body as {
    items: unknown[];
  };
  expect(items).toEqual([
    {
      id: 'todo_a',
      turn_id: 'turn_1',
      title: 'first',
      context: '',
      completion_criteria: '',
      agent_type: '',
      status: 'completed',
      priority: 0,
      outcome: 'done',
      created_at: expect.stringMatching(/Z$/),
      started_at: null,
      completed_at: expect.stringMatching(/Z$/),
    },
    expect.objectContaining({ id: 'todo_b', priority: 1, completed_at: null }),
  ]);
  expect(items.map((item) => todoSchema.parse(item))).toEqual(items);

  const newest = (await user.request('GET', path)).body;
  expect(newest).toMatchObject({ items: [{ id: 'todo_c', turn_id: 'turn_2' }] });
  expect((await user.request('GET', `${path}?turn_id=turn_3`)).body).toEqual({ items: [] });

  const status = async (client: typeof user, address: string) =>
    (await client.request('GET', address)).status;
  expect(await status(stranger, `${path}?turn_id=turn_1`)).toBe(404);
  expect(await status(stranger, path)).toBe(404);
  expect(await status(user, `/api/sessions/${elsewhere}/todos?turn_id=turn_1`)).toBe(404);
  expect(await status(user, `${path}?turn_id=turn_9`)).toBe(404);
  expect(await status(user, `${path}?turn_id=%00`)).toBe(422);
});
