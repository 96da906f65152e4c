import { setTimeout as delay } from 'node:timers/promises';
import type { TestDatabase } from '../test-database.ts';

/** Waits for what is learnt from ended subtasks: no task waits for that, so it may still be under way. */
export async function awaitExtractions(database: TestDatabase, timeoutMs = 10_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  const open = () =>
    database.rows(`SELECT 1 FROM units WHERE starts_with(id, 'mem_')
      AND status IN ('waiting', 'claimed', 'parked') LIMIT 1`);
  while ((await open()).length > 0 && Date.now() < deadline) await delay(50);
}
