import type { ChatMessage, ToolCall } from '@loom/shared/chat';

/** A call that has no result yet, with its place in the journal. */
export interface PendingCall {
  call: ToolCall;
  /** Position of the model's message and of the call in it: the same call has the same key after a crash. */
  key: string;
}

interface PlacedMessage {
  place: number;
  message: ChatMessage;
}

/** Calls of the last assistant message that nobody has answered. */
export function pendingCalls(unitId: string, journal: readonly PlacedMessage[]): PendingCall[] {
  const last = journal.findLast(({ message }) => message.role === 'assistant');
  if (last === undefined) return [];
  const answered = new Set(
    journal
      .filter(({ message }) => message.role === 'tool')
      .map(({ message }) => message.tool_call_id),
  );
  return (last.message.tool_calls ?? [])
    .map((call, index) => ({ call, key: `${unitId}/${last.place}/${index}` }))
    .filter(({ call }) => !answered.has(call.id));
}
