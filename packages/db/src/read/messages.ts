import type { Message } from '@loom/shared/api';
import type { Database } from '../database.ts';
import { toIso } from './row-values.ts';

/** A message's columns as the database gives them. */
export interface MessageRow extends Omit<Message, 'created_at'> {
  created_at: Date;
}

/** The columns of the contract's message object. */
export const messageColumns = `number, role, content, tool_calls, tool_call_id, tool_name,
  token_count, turn_id, created_at`;

// A page ends early rather than carry more text than a client wants at once.
const maxPageBytes = 8_000_000;
// Pages of a reader that goes on to the end: large enough to be few, small enough to be held.
const readPage = { limit: 1_000, max_bytes: 1_000_000 };

interface ArchiveKey {
  tenant_id: string;
  session_id: string;
}

interface MessageQuery extends ArchiveKey {
  limit: number;
  /** A page ends with the message that reaches this; it has one message at least. */
  max_bytes?: number;
  /** Only messages with a greater number, oldest first. */
  after?: number;
  /** Only messages with a smaller number; alone, the newest of them, still in order. */
  before?: number;
}

// The tokens of a message are counted with its calls, whose arguments can be as long as any text;
// neither number needs the text itself to be read.
const messageBytes = 'greatest(octet_length(content), token_count::bigint * 4)';

// Numbers have no gaps, so a page is a range of them. A limit instead would leave it to the planner,
// which reads and sorts the whole archive for each page as long as it has no statistics.
const oldestOfRange = 'number <= $3::bigint + $5::int';
const newestOfRange = `number >= least($4::bigint,
           (SELECT last_message_number + 1 FROM sessions WHERE id = $1)) - $5::int`;

/** Verbatim messages in order; `has_more` says whether more lie in the direction of reading. */
export async function listMessages(
  db: Database,
  params: MessageQuery,
): Promise<{ items: Message[]; has_more: boolean }> {
  const backwards = params.before !== undefined && params.after === undefined;
  const order = backwards ? 'DESC' : 'ASC';
  const { rows } = await db.pool.query<MessageRow & { bytes_before: number }>(
    `SELECT * FROM (
       SELECT ${messageColumns},
         sum(${messageBytes}) OVER (ORDER BY number ${order}) - ${messageBytes} AS bytes_before
       FROM messages
       WHERE session_id = $1 AND tenant_id = $2 AND number > $3::bigint AND number < $4::bigint
         AND ${backwards ? newestOfRange : oldestOfRange}
       ORDER BY number ${order}
     ) page WHERE bytes_before < $6::bigint`,
    [
      params.session_id,
      params.tenant_id,
      params.after ?? 0,
      params.before ?? Number.MAX_SAFE_INTEGER,
      params.limit + 1,
      params.max_bytes ?? maxPageBytes,
    ],
  );
  const items = rows.slice(0, params.limit).map(toMessage);
  const last = items.at(-1);
  if (backwards) items.reverse();
  if (last === undefined) return { items, has_more: false };
  if (rows.length > params.limit) return { items, has_more: true };
  // Fewer than asked for: the end, or a page that was cut for its size.
  return { items, has_more: await messageExists(db, params, last.number, backwards) };
}

/** The archive from its beginning to message number `last`, page by page; one page is held at a time. */
export async function* readMessages(
  db: Database,
  params: ArchiveKey & { last: number },
): AsyncGenerator<Message[], void> {
  const { last, ...key } = params;
  for (let after = 0; after < last; ) {
    const page = await listMessages(db, { ...key, ...readPage, after, before: last + 1 });
    if (page.items.length === 0) return;
    yield page.items;
    after = page.items.at(-1)?.number ?? last;
  }
}

async function messageExists(
  db: Database,
  params: MessageQuery,
  beyond: number,
  backwards: boolean,
): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `SELECT 1 FROM messages WHERE session_id = $1 AND tenant_id = $2 AND number = $3
       AND number < $4::bigint`,
    [
      params.session_id,
      params.tenant_id,
      backwards ? beyond - 1 : beyond + 1,
      params.before ?? Number.MAX_SAFE_INTEGER,
    ],
  );
  return rowCount === 1;
}

/** A row as the contract's message. */
export function toMessage(row: MessageRow): Message {
  return {
    number: row.number,
    role: row.role,
    content: row.content,
    tool_calls: row.tool_calls,
    tool_call_id: row.tool_call_id,
    tool_name: row.tool_name,
    token_count: row.token_count,
    turn_id: row.turn_id,
    created_at: toIso(row.created_at),
  };
}
