import type { Client } from '../api-client.ts';
import type { TestDatabase } from '../test-database.ts';

const atOnce = 8;

/** (h) Folding each task's log gives the stored state. */
export async function mismatchedReplays(database: TestDatabase, client: Client): Promise<string[]> {
  const ids = (await database.rows<{ id: string }>('SELECT id FROM tasks ORDER BY id')).map(
    (row) => row.id,
  );
  const mismatches: string[] = [];
  const work = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const replay = await client.getReplay(id);
      if (!replay.matches) {
        mismatches.push(`replay of ${id} differs: ${replay.differences.join('; ')}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return mismatches;
}
