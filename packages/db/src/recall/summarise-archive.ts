import type { Database } from '../database.ts';
import { type Archive, archiveValues, ofArchive } from './recall-message.ts';

interface GroupRow {
  role: string;
  tool_name: string | null;
  messages: number;
  tokens: number;
  first_at: Date;
  last_at: Date;
  last_number: number;
}

/** How much was said, by whom, when, and with which tools. */
export async function summariseArchive(db: Database, archive: Archive): Promise<string> {
  const { rows } = await db.pool.query<GroupRow>(
    `SELECT role, tool_name, count(*) AS messages, sum(token_count) AS tokens,
       min(created_at) AS first_at, max(created_at) AS last_at, max(number) AS last_number
     FROM messages WHERE ${ofArchive}
     GROUP BY role, tool_name`,
    archiveValues(archive),
  );
  if (rows.length === 0) return 'Nothing has been said in this conversation yet.';
  const total = rows.reduce((sum, row) => sum + row.messages, 0);
  const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
  const first = new Date(Math.min(...rows.map((row) => row.first_at.getTime())));
  const last = new Date(Math.max(...rows.map((row) => row.last_at.getTime())));
  const lastNumber = Math.max(...rows.map((row) => row.last_number));
  const tools = countBy(rows, (row) => (row.role === 'tool' ? row.tool_name : null));
  return [
    `This conversation has ${total} messages (${countBy(rows, (row) => row.role)}), about ${tokens} tokens.`,
    `First: [Turn 1] at ${first.toISOString()}. Last: [Turn ${lastNumber}] at ${last.toISOString()}.`,
    tools === '' ? 'No tool was used.' : `Tools used: ${tools}.`,
  ].join('\n');
}

function countBy(rows: GroupRow[], keyOf: (row: GroupRow) => string | null): string {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key !== null) counts.set(key, (counts.get(key) ?? 0) + row.messages);
  }
  return [...counts]
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .slice(0, 50)
    .map(([key, count]) => `${key} ${count}`)
    .join(', ');
}
