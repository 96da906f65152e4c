import type { Database } from '../database.ts';

/** A message of a user, and what the assistant had said last before it. */
interface FollowUp {
  content: string;
  /** Null: nothing yet. Empty: it had called tools without a word. */
  previous: string | null;
  workspace: string | null;
}

/** What a user said in a turn of their own accord: answers to questions that the turn asked are left out. */
export async function loadFollowUps(
  db: Database,
  key: { tenant_id: string; session_id: string; turn_id: string },
): Promise<FollowUp[]> {
  const { rows } = await db.pool.query<FollowUp>({
    name: 'load-follow-ups',
    text: `SELECT m.content, s.workspace,
        (SELECT a.content FROM messages a
          WHERE a.session_id = m.session_id AND a.number < m.number AND a.role = 'assistant'
          ORDER BY a.number DESC LIMIT 1) AS previous
      FROM messages m JOIN sessions s ON s.id = m.session_id
      WHERE m.turn_id = $1 AND m.session_id = $2 AND m.tenant_id = $3 AND m.role = 'user'
        AND NOT EXISTS (SELECT 1 FROM messages q WHERE q.session_id = m.session_id
          AND q.number = m.number - 1 AND q.role = 'tool' AND q.tool_name = 'ask_user')
      ORDER BY m.number`,
    values: [key.turn_id, key.session_id, key.tenant_id],
  });
  return rows;
}
