import type { ChatMessage } from '@loom/shared/chat';

/** A message with what packing needs to know of it. */
export interface PackableMessage {
  number: number;
  turn_id: string | null;
  token_count: number;
  message: ChatMessage;
}

/** Room a message takes besides its text: role, separators, ids. */
const overheadTokens = 8;

/**
 * The view of the archive that a turn's next model call gets: this turn whole, then as much of
 * what came before as the budget holds. What waits in later turns is not part of it.
 */
export function packWindow(
  archive: readonly PackableMessage[],
  turnId: string,
  budgetTokens: number,
): { messages: ChatMessage[]; omitted: number } {
  const ordered = orderByTurn(archive, turnId);
  let used = 0;
  let from = ordered.length;
  while (from > 0) {
    const one = ordered[from - 1];
    if (one === undefined) break;
    const cost = one.token_count + overheadTokens;
    if (used + cost > budgetTokens && one.turn_id !== turnId) break;
    used += cost;
    from -= 1;
  }
  const kept = ordered.slice(from).map(({ message }) => message);
  return { messages: repairToolPairs(kept), omitted: from };
}

/** Turns in the order in which they began, up to this one: messages that queued up meanwhile come later. */
function orderByTurn(archive: readonly PackableMessage[], turnId: string): PackableMessage[] {
  const firstOf = new Map<string, number>();
  for (const { turn_id, number } of archive) {
    const key = turn_id ?? '';
    firstOf.set(key, Math.min(firstOf.get(key) ?? number, number));
  }
  const begins = (one: PackableMessage) => firstOf.get(one.turn_id ?? '') ?? one.number;
  const own = firstOf.get(turnId) ?? Number.POSITIVE_INFINITY;
  return archive
    .filter((one) => begins(one) <= own)
    .sort((a, b) => begins(a) - begins(b) || a.number - b.number);
}

/** Puts every result right behind its call; a call without a result gets one that says so, a result without its call goes. */
export function repairToolPairs(messages: readonly ChatMessage[]): ChatMessage[] {
  const results = new Map<string, ChatMessage>();
  for (const message of messages) {
    if (message.role === 'tool') results.set(message.tool_call_id ?? '', message);
  }
  return messages.flatMap((message): ChatMessage[] => {
    if (message.role === 'tool') return [];
    const calls = message.tool_calls ?? [];
    const answers = calls.map(
      ({ id, name }): ChatMessage =>
        results.get(id) ?? {
          role: 'tool',
          content: 'No result was recorded for this call.',
          tool_call_id: id,
          tool_name: name,
        },
    );
    return [message, ...answers];
  });
}
