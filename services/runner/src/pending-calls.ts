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

/** Calls of the last assistant message that nobody has answered; an older answer to the same id is none. */
export function pendingCalls(unitId: string, journal: readonly PlacedMessage[]): PendingCall[] {
  const at = journal.findLastIndex(({ message }) => message.role === 'assistant');
  const last = journal[at];
  if (last === undefined) return [];
  const answered = new Set(journal.slice(at + 1).map(({ message }) => message.tool_call_id));
  return (last.message.tool_calls ?? [])
    .map((call, index) => ({ call, key: `${unitId}/${last.place}/${index}` }))
    .filter(({ call }) => !answered.has(call.id));
}
