import { AppError } from '@loom/shared/app-error';
import type { Idempotency } from '@loom/shared/intake';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { beforeAll, expect, test } from 'vitest';
import { answerOnce } from './idempotency.ts';
import { inTransaction } from './transaction.ts';

let world: TestDatabase;
let made = 0;
beforeAll(async () => {
  world = await createTestDatabase();
  await world.rows('CREATE TABLE made (id int)');
});

/** A request that makes something; `during` runs inside its transaction. */
function ask(
  idempotency: Idempotency | null,
  options: { tenant?: string; during?: () => Promise<void> } = {},
) {
  return inTransaction(world.database, (client) =>
    answerOnce(client, options.tenant ?? 'default', idempotency, async () => {
      made += 1;
      const id = made;
      await client.query('INSERT INTO made VALUES ($1)', [id]);
      await options.during?.();
      return { status: 201, body: { id } };
    }),
  );
}

const stored = async () => (await world.rows<{ id: number }>('SELECT id FROM made')).length;
const code = (error: unknown) => (error instanceof AppError ? error.code : String(error));

test('without a key every request is one of its own', async () => {
  const [one, two] = [await ask(null), await ask(null)];
  expect(one.body.id).not.toBe(two.body.id);
  expect([one.replayed, two.replayed]).toEqual([false, false]);
});

test('the same request with the same key gets the same answer, and is done once', async () => {
  const key = { key: 'k1', request_hash: 'h' };
  const first = await ask(key);
  const before = await stored();
  expect(await ask(key)).toEqual({ ...first, replayed: true });
  expect(await stored()).toBe(before);
});

test('the same key with another request is refused, and with another tenant is another key', async () => {
  await ask({ key: 'k2', request_hash: 'h' });
  const other = ask({ key: 'k2', request_hash: 'different' });
  expect(code(await other.catch((error) => error))).toBe('idempotency_mismatch');
  expect(await ask({ key: 'k2', request_hash: 'h' }, { tenant: 'other' })).toMatchObject({
    replayed: false,
  });
});

test('while the first is under way, the second is told so; afterwards it gets the answer', async () => {
  const key = { key: 'k3', request_hash: 'h' };
  let second: unknown;
  const first = await ask(key, {
    during: async () => {
      second = await ask(key).catch((error) => error);
    },
  });
  expect(code(second)).toBe('idempotency_in_progress');
  expect(second).toHaveProperty('retryable', true);
  expect(await ask(key)).toEqual({ ...first, replayed: true });
});

test('of many at once one is done, and no other is answered with anything else', async () => {
  const before = await stored();
  const key = { key: 'k4', request_hash: 'h' };
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => ask(key)));
  const ids = new Set(
    results.flatMap((one) => (one.status === 'fulfilled' ? [one.value.body.id] : [])),
  );
  expect(ids.size).toBe(1);
  const refusals = results.flatMap((one) => (one.status === 'rejected' ? [code(one.reason)] : []));
  expect(refusals.filter((one) => one !== 'idempotency_in_progress')).toEqual([]);
  expect(await stored()).toBe(before + 1);
});

test('a request that failed leaves its key free', async () => {
  const key = { key: 'k5', request_hash: 'h' };
  const before = await stored();
  const failing = ask(key, { during: () => Promise.reject(new Error('no')) });
  await expect(failing).rejects.toThrow('no');
  expect(await stored()).toBe(before);
  expect(await ask(key)).toMatchObject({ replayed: false, status: 201 });
});
