import type { ChatMessage, ToolCall } from '@loom/shared/chat';
import type { Database } from './database.ts';

/** A unit's journal, in order. */
export async function loadJournal(db: Database, unitId: string): Promise<ChatMessage[]> {
  const { rows } = await db.pool.query<StoredLine>({
    name: 'load-journal',
    text: `SELECT role, content, tool_calls, tool_call_id, tool_name
      FROM attempt_messages WHERE unit_id = $1 ORDER BY seq`,
    values: [unitId],
  });
  return rows.map(toChatMessage);
}

export interface StoredLine {
  role: ChatMessage['role'];
  content: string;
  tool_calls: ToolCall[] | null;
  tool_call_id: string | null;
  tool_name: string | null;
  failed?: boolean;
}

/** A stored line as models see it. */
export function toChatMessage(line: StoredLine): ChatMessage {
  const { role, content, tool_calls, tool_call_id, tool_name } = line;
  return {
    role,
    content,
    ...(tool_calls === null ? {} : { tool_calls }),
    ...(tool_call_id === null ? {} : { tool_call_id }),
    ...(tool_name === null ? {} : { tool_name }),
    ...(line.failed === true ? { failed: true } : {}),
  };
}

/** Calls of a unit that were written down before they ran, and of which no end is known. */
export async function loadOpenIntents(db: Database, unitId: string): Promise<Set<string>> {
  const { rows } = await db.pool.query<{ key: string }>({
    name: 'load-open-intents',
    text: `SELECT key FROM tool_calls WHERE unit_id = $1 AND status = 'intent'`,
    values: [unitId],
  });
  return new Set(rows.map(({ key }) => key));
}
