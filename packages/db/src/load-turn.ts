import type { ChatMessage } from '@loom/shared/chat';
import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from './database.ts';
import { type StoredLine, toChatMessage } from './load-journal.ts';

/** A message of the archive with its place in it. */
export interface ArchivedMessage {
  number: number;
  turn_id: string | null;
  token_count: number;
  message: ChatMessage;
}

/** What a worker needs to know of the turn it runs. */
export interface TurnBrief {
  workspace: string | null;
  model: string | null;
  system_prompt: string | null;
  model_calls: number;
  /** Someone asked it to stop before it was loaded; later requests come by the bus. */
  cancel_requested: boolean;
  message_count: number;
  /** All of this turn and the newest of the turns before it, oldest first; the rest stays in the archive. */
  recent: ArchivedMessage[];
}

/** More than this many messages of earlier turns never fit a context window. */
const maxRecent = 500;

const columns = `number, turn_id, token_count, role, content, tool_calls, tool_call_id, tool_name`;

/** Loads a turn with what was said before it; what waits in later turns is left out, however much it is. */
export async function loadTurn(db: Database, unit: ClaimedUnit): Promise<TurnBrief | null> {
  const session = db.pool.query<Omit<TurnBrief, 'recent'>>({
    name: 'load-turn',
    text: `SELECT s.workspace, s.model, s.system_prompt, t.model_calls, t.cancel_requested,
        s.last_message_number AS message_count
      FROM turns t JOIN sessions s ON s.id = t.session_id WHERE t.id = $1 AND t.tenant_id = $2`,
    values: [unit.turn_id, unit.tenant_id],
  });
  const messages = db.pool.query<
    StoredLine & { number: number; turn_id: string | null; token_count: number }
  >({
    name: 'load-turn-messages',
    text: `WITH later AS (SELECT o.id FROM turns o JOIN turns t ON t.id = $3
          AND o.session_id = t.session_id AND (o.created_at, o.id) > (t.created_at, t.id)),
      earlier AS (SELECT ${columns} FROM messages
        WHERE session_id = $1 AND tenant_id = $2
          AND coalesce(turn_id, '') NOT IN (SELECT id FROM later UNION ALL SELECT $3)
        ORDER BY number DESC LIMIT ${maxRecent})
      SELECT ${columns} FROM messages WHERE turn_id = $3 AND tenant_id = $2
      UNION ALL SELECT ${columns} FROM earlier ORDER BY number`,
    values: [unit.session_id, unit.tenant_id, unit.turn_id],
  });
  const [{ rows: found }, { rows }] = await Promise.all([session, messages]);
  const [brief] = found;
  if (brief === undefined) return null;
  const recent = rows.map(({ number, turn_id, token_count, ...line }) => ({
    number,
    turn_id,
    token_count,
    message: toChatMessage(line),
  }));
  return { ...brief, recent };
}
