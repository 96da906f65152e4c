import type { ChatMessage, ToolCall } from '@loom/shared/chat';
import { estimateTokens } from '@loom/shared/text';

/** A message with what packing needs to know of it. */
export interface PackableMessage {
  number: number;
  turn_id: string | null;
  token_count: number;
  message: ChatMessage;
}

/** What must be shown together: a message, or a message with calls and the results of all of them. */
export interface Block {
  messages: ChatMessage[];
  tokens: number;
  /** Messages of the archive in it; a missing result that was filled in is none. */
  stored: number;
}

/** Room a message takes besides its text: role, separators, ids. */
export const overheadTokens = 8;
const noResult = 'No result was recorded for this call.';

/** Puts every result behind its call; a call without a result gets one that says so, a result without its call goes. */
export function toBlocks(turn: readonly PackableMessage[]): Block[] {
  const results = resultsByCall(turn);
  return turn.flatMap((one): Block[] => {
    if (one.message.role === 'tool') return [];
    const block = { messages: [one.message], tokens: one.token_count + overheadTokens, stored: 1 };
    for (const call of one.message.tool_calls ?? []) {
      const result = results.get(call);
      block.messages.push(result?.message ?? missingResult(call));
      block.tokens += (result?.token_count ?? estimateTokens(noResult)) + overheadTokens;
      if (result !== undefined) block.stored += 1;
    }
    return [block];
  });
}

/** An id may come back in a later message, or twice in one: a result belongs to the first call that still wants it. */
function resultsByCall(turn: readonly PackableMessage[]): Map<ToolCall, PackableMessage> {
  const open = new Map<string, ToolCall[]>();
  const results = new Map<ToolCall, PackableMessage>();
  for (const one of turn) {
    for (const call of one.message.tool_calls ?? []) {
      open.set(call.id, [...(open.get(call.id) ?? []), call]);
    }
    if (one.message.role !== 'tool') continue;
    const call = open.get(one.message.tool_call_id ?? '')?.shift();
    if (call !== undefined) results.set(call, one);
  }
  return results;
}

function missingResult({ id, name }: ToolCall): ChatMessage {
  return { role: 'tool', content: noResult, tool_call_id: id, tool_name: name };
}
