import type { ChatMessage } from '@loom/shared/chat';

/** Where the newest exchange of a journal begins: the last message with calls, with all that came after it. */
export function newestExchange(journal: readonly ChatMessage[]): number {
  const withCalls = journal.findLastIndex(({ tool_calls }) => (tool_calls?.length ?? 0) > 0);
  if (withCalls !== -1) return withCalls;
  const last = journal.findLastIndex(({ role }) => role === 'assistant');
  return last === -1 ? journal.length : last;
}
