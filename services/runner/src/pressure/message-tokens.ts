import type { ChatMessage, ToolSpec } from '@loom/shared/chat';
import { estimateTokens } from '@loom/shared/text';

/** Room a message takes besides its text: role, separators, ids. */
const overheadTokens = 8;
const known = new WeakMap<object, number>();

/** An estimate of what messages cost a model, the same each time; a message is weighed once. */
export function messageTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(message), 0);
}

/** The same for the schemas of tools. */
export function toolTokens(tools: readonly ToolSpec[]): number {
  return tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
}

function tokensOf(message: ChatMessage): number {
  const before = known.get(message);
  if (before !== undefined) return before;
  const { content, tool_calls } = message;
  const calls = tool_calls === undefined ? 0 : estimateTokens(JSON.stringify(tool_calls));
  const tokens = overheadTokens + estimateTokens(content) + calls;
  known.set(message, tokens);
  return tokens;
}
