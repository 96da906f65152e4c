import type { ChatMessage } from '@loom/shared/chat';
import type { Prompt, PromptMessage } from './language-model.ts';
import { toPrompt } from './to-prompt.ts';

/** The same for Anthropic: system text first only, a user message first, no empty text, plain ids. */
export function toAnthropicPrompt(messages: readonly ChatMessage[]): Prompt {
  const firstOther = messages.findIndex((message) => message.role !== 'system');
  const leading = firstOther === -1 ? messages : messages.slice(0, firstOther);
  const rest = firstOther === -1 ? [] : messages.slice(firstOther).map(toAcceptedMessage);
  const start: ChatMessage[] =
    rest[0]?.role === 'user' ? [] : [{ role: 'user', content: '[System] Continue.' }];
  return [...leading.flatMap(toSystem).map(cacheLast), ...toPrompt([...start, ...rest])];
}

function toSystem(message: ChatMessage): PromptMessage[] {
  return message.content.trim() === '' ? [] : [{ role: 'system', content: message.content }];
}

// Tools and system text are the same in every step of a loop, so the provider may keep them.
function cacheLast(message: PromptMessage, index: number, all: PromptMessage[]): PromptMessage {
  if (index !== all.length - 1) return message;
  return { ...message, providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };
}

function toAcceptedMessage(message: ChatMessage): ChatMessage {
  const content = message.content.trim() === '' ? '' : message.content;
  switch (message.role) {
    case 'system':
      return { role: 'user', content: `[System] ${content}` };
    case 'user':
      return { ...message, content: content || '(empty)' };
    case 'assistant': {
      const tool_calls = message.tool_calls?.map((call) => ({ ...call, id: toPlainId(call.id) }));
      return { ...message, content, tool_calls };
    }
    case 'tool':
      return { ...message, tool_call_id: toPlainId(message.tool_call_id ?? '') };
  }
}

function toPlainId(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'call';
}
