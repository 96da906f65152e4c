import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { beforeAll, expect, test } from 'vitest';
import { inTransaction, type Transaction } from './transaction.ts';

let world: TestDatabase;
beforeAll(async () => {
  world = await createTestDatabase();
  await world.rows('CREATE TABLE counters (id int PRIMARY KEY, n int NOT NULL DEFAULT 0)');
  await world.rows('INSERT INTO counters VALUES (1), (2)');
});

const add = (client: Transaction, id: number) =>
  client.query('UPDATE counters SET n = n + 1 WHERE id = $1', [id]);
const counts = async () =>
  (await world.rows<{ n: number }>('SELECT n FROM counters ORDER BY id')).map(({ n }) => n);

test('what throws leaves nothing, and its connection serves the next', async () => {
  const before = await counts();
  const failing = inTransaction(world.database, async (client) => {
    await add(client, 1);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await counts()).toEqual(before);
  expect(world.database.pool.idleCount).toBe(world.database.pool.totalCount);
});

test('two transactions in a deadlock both come through, each once', async () => {
  const [one = 0, two = 0] = await counts();
  let waiting = 2;
  let meet: () => void = () => undefined;
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  let tries = 0;
  const cross = (first: number, second: number) =>
    inTransaction(world.database, async (client) => {
      tries += 1;
      await add(client, first);
      waiting -= 1;
      if (waiting === 0) meet();
      await met;
      await add(client, second);
      return first;
    });
  expect(await Promise.all([cross(1, 2), cross(2, 1)])).toEqual([1, 2]);
  // One more try for each deadlock: the one started over may take its row before the other is awake
  // and meet it once more.
  expect(tries).toBeGreaterThan(2);
  expect(await counts()).toEqual([one + 2, two + 2]);
});

test('a connection lost in the middle is an error of that transaction and of nothing else', async () => {
  const before = await counts();
  const lost = inTransaction(world.database, async (client) => {
    await add(client, 1);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const gone = new Promise((resolve) => client.once('end', resolve));
    await world.rows('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await gone;
    await add(client, 2);
  });
  await expect(lost).rejects.toThrow();
  expect(await counts()).toEqual(before);
  await inTransaction(world.database, (client) => add(client, 1));
  expect(await counts()).toEqual([(before[0] ?? 0) + 1, before[1]]);
});
