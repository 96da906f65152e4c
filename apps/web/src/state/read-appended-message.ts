import type { Message } from '@loom/shared/api';
import type { StreamEvent } from '../http/stream-event.ts';

/** The message a `message.appended` event carries; null when the event does not hold one. */
export function readAppendedMessage(event: StreamEvent): Message | null {
  const data = event.data as Partial<Message>;
  if (data.number === undefined || data.role === undefined) return null;
  return {
    number: data.number,
    role: data.role,
    content: data.content ?? '',
    tool_calls: data.tool_calls ?? null,
    tool_call_id: data.tool_call_id ?? null,
    tool_name: data.tool_name ?? null,
    token_count: data.token_count ?? 0,
    turn_id: data.turn_id ?? event.turn_id ?? null,
    created_at: data.created_at ?? event.at,
  };
}
