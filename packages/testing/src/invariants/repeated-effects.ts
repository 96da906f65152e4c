import type { TestDatabase } from '../test-database.ts';

/** (b) Each effect was recorded at most once, or the ledger admits that it is in doubt. */
export async function repeatedEffects(
  database: TestDatabase,
  seen: ReadonlyMap<string, number>,
): Promise<string[]> {
  const rows = await database.rows<{ key: string; status: string }>(
    'SELECT key, status FROM tool_calls WHERE key = ANY($1)',
    [[...seen.keys()]],
  );
  const ledger = new Map(rows.map((row) => [row.key, row.status]));
  const repeated: string[] = [];
  for (const [key, count] of seen) {
    const status = ledger.get(key) ?? 'not in the ledger';
    if (status === 'not in the ledger') repeated.push(`effect ${key} is ${status}`);
    if (count > 1 && status !== 'in_doubt') {
      repeated.push(`effect ${key} happened ${count} times, ledger says ${status}`);
    }
  }
  const intents = await database.rows<{ key: string }>(`
    SELECT call.key FROM tool_calls call JOIN tasks task ON task.id = call.task_id
    WHERE call.status = 'intent' AND task.status = 'completed'`);
  return [...repeated, ...intents.map(({ key }) => `call ${key} was begun and never settled`)];
}
