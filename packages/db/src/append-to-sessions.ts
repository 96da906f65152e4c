import type { ChatMessage } from '@loom/shared/chat';
import type { NewEvent } from '@loom/shared/events';
import { cutText, estimateTokens } from '@loom/shared/text';
import type pg from 'pg';

/** One addition to a session's archive or log, in the order in which it shall be numbered. */
export type SessionLine =
  | {
      kind: 'message';
      message: ChatMessage;
      /** Null: it belongs to no turn, and stands where its number puts it. */
      turn_id: string | null;
      /** The model call that made the message, so that its live text can be matched to it. */
      call?: number;
      /** The task that the message is the result of. */
      task_id?: string;
    }
  | { kind: 'event'; event: NewEvent; turn_id: string | null; task_id: string | null };

export interface SessionRow {
  id: string;
  tenant_id: string;
  status: string;
  last_seq: number;
  last_message_number: number;
}

/** Above this a message travels in its event only by its beginning; the archive keeps it whole. */
const maxEventContent = 32_000;

/** Locks sessions in id order. Tasks are always locked before sessions, never after. */
export async function lockSessions(
  client: pg.ClientBase,
  ids: string[],
): Promise<Map<string, SessionRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await client.query<SessionRow>({
    name: 'lock-sessions',
    text: `SELECT id, tenant_id, status, last_seq, last_message_number
      FROM sessions WHERE id = ANY($1) ORDER BY id FOR UPDATE`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

const statement = `
WITH session_out AS (
  UPDATE sessions s SET last_seq = r.last_seq, last_message_number = r.last_message_number,
    total_tokens = s.total_tokens + r.tokens, updated_at = now()
  FROM jsonb_to_recordset($1::jsonb) AS r(id text, last_seq bigint, last_message_number int, tokens bigint)
  WHERE s.id = r.id),
message_out AS (
  INSERT INTO messages (session_id, number, tenant_id, turn_id, role, content, tool_calls, tool_call_id, tool_name,
    token_count, failed)
  SELECT session_id, number, tenant_id, turn_id, role, content, tool_calls, tool_call_id, tool_name, token_count,
    failed
  FROM jsonb_to_recordset($2::jsonb) AS r(session_id text, number int, tenant_id text, turn_id text, role text,
    content text, tool_calls jsonb, tool_call_id text, tool_name text, token_count int, failed boolean))
INSERT INTO session_events (session_id, seq, tenant_id, type, turn_id, task_id, subtask_id, attempt, data)
SELECT session_id, seq, tenant_id, type, turn_id, task_id, subtask_id, attempt, data
FROM jsonb_to_recordset($3::jsonb) AS r(session_id text, seq bigint, tenant_id text, type text, turn_id text,
  task_id text, subtask_id text, attempt int, data jsonb)`;

/** Appends to locked sessions; numbers and sequences are taken here, under the lock. Returns the numbers given. */
export async function appendToSessions(
  client: pg.ClientBase,
  additions: { session: SessionRow; lines: SessionLine[]; tokens: number }[],
): Promise<number[]> {
  const sessions: unknown[] = [];
  const messages: unknown[] = [];
  const events: unknown[] = [];
  const numbers: number[] = [];
  for (const { session, lines, tokens } of additions) {
    const base = { session_id: session.id, tenant_id: session.tenant_id };
    for (const line of lines) {
      session.last_seq += 1;
      if (line.kind === 'event') {
        const { turn_id, task_id, event } = line;
        events.push({ ...base, ...event, seq: session.last_seq, turn_id, task_id });
        continue;
      }
      session.last_message_number += 1;
      const number = session.last_message_number;
      numbers.push(number);
      const message = toMessageRow(line.message);
      messages.push({ ...base, ...message, number, turn_id: line.turn_id });
      events.push({
        ...base,
        seq: session.last_seq,
        type: 'message.appended',
        turn_id: line.turn_id,
        task_id: line.task_id,
        data: { number, turn_id: line.turn_id, call: line.call, ...forEvent(message) },
      });
    }
    const { id, last_seq, last_message_number } = session;
    sessions.push({ id, last_seq, last_message_number, tokens });
  }
  await client.query({
    name: 'append-to-sessions',
    text: statement,
    values: [JSON.stringify(sessions), JSON.stringify(messages), JSON.stringify(events)],
  });
  return numbers;
}

function toMessageRow(message: ChatMessage) {
  const calls = message.tool_calls ?? [];
  return {
    role: message.role,
    content: message.content,
    tool_calls: calls.length > 0 ? calls : null,
    tool_call_id: message.tool_call_id ?? null,
    tool_name: message.tool_name ?? null,
    token_count: estimateTokens(message.content) + estimateTokens(JSON.stringify(calls)),
    failed: message.failed ?? false,
  };
}

function forEvent(message: ReturnType<typeof toMessageRow>) {
  if (message.content.length <= maxEventContent) return message;
  return { ...message, content: cutText(message.content, maxEventContent), truncated: true };
}
