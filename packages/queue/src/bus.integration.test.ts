import { createLogger } from '@loom/shared/logger';
import type { Wake } from '@loom/shared/wake';
import { testBackend } from '@loom/testing/backend';
import { createTestDatabase } from '@loom/testing/test-database';
import { expect, test } from 'vitest';
import { openQueueBackend } from './queue-backend.ts';

const logger = createLogger({ level: 'silent', name: 'test' });

test('every wake reaches the listeners of other processes once, and those of its own at once', async () => {
  const { url: database_url } = await createTestDatabase();
  const { redis_url, prefix } = testBackend();
  const open = async () => {
    const backend = await openQueueBackend({ redis_url, database_url, prefix, logger });
    return { backend, bus: await backend.openBus() };
  };
  const here = await open();
  const there = await open();
  const heardHere: Wake[] = [];
  const heardThere: Wake[] = [];
  here.bus.subscribe((wake) => heardHere.push(wake));
  const all = new Promise<void>((resolve) => {
    there.bus.subscribe((wake) => {
      heardThere.push(wake);
      if (wake.kind === 'snapshot_wanted') resolve();
    });
  });
  const place = { session_id: 'ses_1', turn_id: 'turn_1', call: 1 };
  const long = 'ö"\\'.repeat(4_000);
  const wakes: Wake[] = [
    { kind: 'stop', ids: ['task_1'], mode: 'cancel' },
    { kind: 'live', message: { ...place, kind: 'delta', offset: 0, text: long } },
    { kind: 'snapshot_wanted', session_id: 'ses_1' },
  ];
  for (const wake of wakes) here.bus.publish(wake);
  expect(heardHere).toEqual(wakes);
  await all;
  expect(heardThere[0]).toEqual(wakes[0]);
  const text = heardThere
    .flatMap((wake) => (wake.kind === 'live' ? [wake.message.text] : []))
    .join('');
  expect(text).toBe(long);
  for (const { bus, backend } of [here, there]) {
    await bus.close();
    await backend.close();
  }
});
