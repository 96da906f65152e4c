import type { Message } from '@loom/shared/api';
import { type ToolCall, toolCallSchema } from '@loom/shared/chat';
import { firstLine } from '@loom/shared/text';
import { z } from 'zod';
import { plainText } from '../plain-text.ts';
import { showArguments } from '../show-arguments.ts';
import type { Colors } from '../terminal.ts';
import { userQuestionSchema } from './turn-board.ts';

/** What is needed of a message to show it. */
export const shownMessageSchema = z.object({
  number: z.number().nullish(),
  role: z.string(),
  content: z.string(),
  tool_calls: z.array(toolCallSchema).nullish(),
  tool_name: z.string().nullish(),
});

/** A question to the user with its numbered options; null for any other call. */
export function renderUserQuestion(call: ToolCall): string | null {
  if (call.name !== 'ask_user') return null;
  const asked = userQuestionSchema.safeParse(call.arguments);
  if (!asked.success) return null;
  const { question, options } = asked.data;
  const numbered = options.map((option, index) => `  ${index + 1}) ${option}`);
  return plainText([question, ...numbered].join('\n'));
}

/** A call on one line. */
export function renderCall(call: ToolCall): string {
  return `→ ${plainText(call.name)} ${showArguments(call.arguments)}`;
}

/** The beginning of a tool's result on one line. */
export function renderResult(tool: string | null | undefined, content: string): string {
  return `← ${plainText(tool ?? 'tool')}: ${plainText(firstLine(content, 100))}`;
}

/** What somebody said. */
export function renderSaid(content: string, colors: Colors): string {
  return colors.bold(`› ${plainText(content)}`);
}

/** A stored message for people, or null when another one shows the same. */
function renderMessage(message: Message, colors: Colors): string | null {
  const { role, content, tool_calls, tool_name } = message;
  if (role === 'user') return renderSaid(content, colors);
  if (role === 'system') return colors.dim(`· ${plainText(firstLine(content, 100))}`);
  // The answer to a question is the user's own message, which follows.
  if (role === 'tool' && tool_name === 'ask_user') return null;
  if (role === 'tool') return colors.dim(renderResult(tool_name, content));
  const calls = (tool_calls ?? []).map(
    (call) => renderUserQuestion(call) ?? colors.cyan(renderCall(call)),
  );
  const lines = [plainText(content), ...calls].filter((line) => line !== '');
  return lines.length === 0 ? null : lines.join('\n');
}

/** Messages for people, one below the other. */
export function renderMessages(messages: Message[], colors: Colors): string[] {
  return messages.map((message) => renderMessage(message, colors)).filter((line) => line !== null);
}
