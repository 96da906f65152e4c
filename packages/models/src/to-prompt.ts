import { assertNever } from '@loom/shared/assert-never';
import type { ChatMessage, ToolCall } from '@loom/shared/chat';
import type { Prompt, PromptMessage } from './language-model.ts';

/** Turns our messages into the AI SDK's, so that any server of the protocol accepts them. */
export function toPrompt(messages: readonly ChatMessage[]): Prompt {
  const toolNames = new Map<string, string>();
  const prompt: Prompt = [];
  for (const message of messages) {
    for (const call of message.tool_calls ?? []) toolNames.set(call.id, call.name);
    const mapped = toPromptMessage(message, toolNames);
    const previous = prompt.at(-1);
    // Results of one reply travel together: Anthropic wants them in a single message.
    if (mapped?.role === 'tool' && previous?.role === 'tool') {
      previous.content.push(...mapped.content);
    } else if (mapped !== null) prompt.push(mapped);
  }
  return prompt;
}

function toPromptMessage(
  message: ChatMessage,
  toolNames: ReadonlyMap<string, string>,
): PromptMessage | null {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.content }] };
    case 'assistant': {
      const text = message.content === '' ? [] : [{ type: 'text' as const, text: message.content }];
      const content = [...text, ...(message.tool_calls ?? []).map(toToolCallPart)];
      return content.length === 0 ? null : { role: 'assistant', content };
    }
    case 'tool': {
      const toolCallId = message.tool_call_id ?? '';
      const toolName = toWireName(message.tool_name ?? toolNames.get(toolCallId) ?? '');
      const output = { type: 'text' as const, value: message.content };
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
    }
    default:
      return assertNever(message.role);
  }
}

function toToolCallPart(call: ToolCall) {
  return {
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: toWireName(call.name),
    input: toInputObject(call.arguments),
  };
}

// A model may have called a name that no provider accepts back, which would poison the conversation.
function toWireName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}

// Providers refuse a history whose arguments are not an object; the model still sees what it sent.
function toInputObject(value: ToolCall['arguments']): object {
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
  return isObject ? value : { invalid_arguments: value };
}
