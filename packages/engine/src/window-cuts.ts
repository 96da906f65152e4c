import type { ChatMessage, ToolCall } from '@loom/shared/chat';
import type { JsonValue } from '@loom/shared/json';
import { estimateTokens } from '@loom/shared/text';
import { type Block, overheadTokens } from './window-blocks.ts';

const leftOut = '[left out here; conversation_recall shows it]';

/** An exchange that says what was called, but not what came of it. */
export function withoutResults(block: Block): Block {
  const messages = block.messages.map((message) =>
    message.role === 'tool' && message.content.length > leftOut.length
      ? { ...message, content: leftOut }
      : message,
  );
  const saved = block.messages.reduce(
    (sum, { content }, index) =>
      sum + estimateTokens(content) - estimateTokens(messages[index]?.content ?? ''),
    0,
  );
  return { ...block, messages, tokens: Math.max(0, block.tokens - saved) };
}

/** A message of at most so many tokens: long text by its beginning and end, long arguments shortened. */
export function fitMessage(message: ChatMessage, most: number): ChatMessage {
  const { tool_calls } = message;
  const callTokens = tool_calls ? estimateTokens(JSON.stringify(tool_calls)) : 0;
  if (estimateTokens(message.content) + callTokens <= most) return message;
  const calls = tool_calls && fitCalls(tool_calls, Math.floor(most / 2));
  const used = calls ? estimateTokens(JSON.stringify(calls)) : 0;
  const content = fitText(message.content, Math.max(0, most - used));
  return { ...message, content, ...(calls ? { tool_calls: calls } : {}) };
}

function fitText(text: string, tokens: number): string {
  const room = tokens * 4;
  if (text.length <= room) return text;
  const marker = `\n[… ${text.length - room} characters left out here; conversation_recall shows them …]\n`;
  const shown = room - marker.length;
  if (shown <= 0) return leftOut.slice(0, room);
  const head = Math.ceil((shown * 2) / 3);
  return (text.slice(0, head) + marker + text.slice(text.length - (shown - head))).toWellFormed();
}

function fitCalls(calls: readonly ToolCall[], tokens: number): ToolCall[] {
  const room = Math.max(20, Math.floor((tokens * 4) / Math.max(1, calls.length)) - 60);
  return calls.map((call) => ({ ...call, arguments: shorten(call.arguments, room) }));
}

/** A value whose texts are cut; one that is still too long is shown as a cut text of itself. */
function shorten(value: JsonValue, room: number): JsonValue {
  if (JSON.stringify(value).length <= room) return value;
  const fields =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value).map(([key, one]) => [
            key,
            typeof one === 'string' && one.length > 80
              ? `${one.slice(0, 80).toWellFormed()}…`
              : one,
          ]),
        )
      : null;
  if (fields !== null && JSON.stringify(fields).length <= room) return fields;
  return {
    cut: JSON.stringify(value)
      .slice(0, Math.max(0, room - 12))
      .toWellFormed(),
  };
}

/** The room a message takes, with what every message takes besides its text. */
export function roomOf({ content, tool_calls }: ChatMessage): number {
  const calls = tool_calls ? estimateTokens(JSON.stringify(tool_calls)) : 0;
  return estimateTokens(content) + calls + overheadTokens;
}
