import type pg from 'pg';
import type { SessionRow } from './append-to-sessions.ts';

/** What others added to a session that the owner of its turn has not read. */
interface Unread {
  /** Something that the turn's next model call is to show. */
  news: boolean;
  /** Among it, something the user said to this very turn. */
  steered: boolean;
}

/** Looks for messages behind the last one that a turn's owner knows; those of waiting turns are not for it. */
export async function findUnread(
  client: pg.ClientBase,
  session: SessionRow,
  owner: { turn_id: string; known_message: number },
): Promise<Unread> {
  if (session.last_message_number <= owner.known_message) return { news: false, steered: false };
  const { rows } = await client.query<Unread>({
    name: 'find-unread',
    text: `SELECT count(*) > 0 AS news, coalesce(bool_or(turn_id = $3 AND role = 'user'), false) AS steered
      FROM messages WHERE session_id = $1 AND number > $2 AND (turn_id = $3 OR turn_id IS NULL)`,
    values: [session.id, owner.known_message, owner.turn_id],
  });
  return rows[0] ?? { news: false, steered: false };
}
