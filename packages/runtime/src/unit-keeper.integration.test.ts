import { openDatabase } from '@loom/db/database';
import { createLogger } from '@loom/shared/logger';
import { createTestDatabase, type TestDatabase } from '@loom/testing/test-database';
import { beforeAll, expect, test } from 'vitest';
import { fired } from './test-support/turn-handler.ts';
import { createUnitKeeper } from './unit-keeper.ts';

const logger = createLogger({ level: 'silent', name: 'test' });
const lease_seconds = 0.6;
let world: TestDatabase;
beforeAll(async () => {
  world = await createTestDatabase();
});

const unitOf = (unit_id: string) => ({
  unit_id,
  epoch: 1,
  queue: 'subtasks' as const,
  tenant_id: 'default',
  task_id: 'task_1',
  subtask_id: 'a',
  attempt: 1,
  session_id: null,
  turn_id: null,
  metered: false,
});

async function claim(id: string): Promise<void> {
  await world.rows(
    `INSERT INTO units (id, tenant_id, queue, status, epoch, lease_until)
      VALUES ($1, 'default', 'subtasks', 'claimed', 1, now() + interval '0.6 s')`,
    [id],
  );
}

test('leases are renewed while units are held; whoever takes one over is noticed', async () => {
  await claim('kept');
  await claim('taken');
  const keeper = createUnitKeeper({ db: world.database, lease_seconds, logger });
  const [kept, taken] = [keeper.hold(unitOf('kept')), keeper.hold(unitOf('taken'))];
  // Several leases long, the unit stays ours.
  for (let round = 0; round < 2; round++) {
    await world.rows('SELECT pg_sleep(0.7)');
    const [row] = await world.rows(
      `SELECT lease_until > now() AS alive FROM units WHERE id = 'kept'`,
    );
    expect(row).toEqual({ alive: true });
  }
  await world.rows(`UPDATE units SET epoch = 2 WHERE id = 'taken'`);
  await fired(taken.signals.abort);
  expect(String(taken.signals.abort.reason)).toContain('the lease was lost');
  expect([taken.lost(), kept.lost(), kept.signals.abort.aborted]).toEqual([true, false, false]);
  keeper.close();
});

test('a database that cannot be reached loses every lease by its age', async () => {
  await claim('alone');
  const options = { url: world.url, pool_size: 1, application_name: 'keeper', logger };
  const db = await openDatabase(options);
  const keeper = createUnitKeeper({ db, lease_seconds, logger });
  const hold = keeper.hold(unitOf('alone'));
  await db.close();
  await fired(hold.signals.abort);
  expect(hold.lost()).toBe(true);
  expect(String(hold.signals.abort.reason)).toContain('could not be renewed in time');
  keeper.close();
});
