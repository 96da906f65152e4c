import type { ModelInfo, ModelReply, ModelRequest, Models, ToolCall } from '@loom/shared/chat';

const info: ModelInfo = {
  name: 'scripted',
  provider: 'scripted',
  model: 'scripted',
  roles: ['cowork', 'executor'],
  tier: 1,
  context_tokens: 32_000,
  is_demo: true,
};

/** A reply of calls, or of text when there are none. */
export function reply(text: string, ...tool_calls: ToolCall[]): ModelReply {
  return { text, tool_calls, usage: { input_tokens: 1, output_tokens: 1 }, model: 'scripted' };
}

/** A model that gives these replies one after the other, and remembers what it was asked. */
export function scriptedModels(replies: ModelReply[]): Models & { asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    asked,
    complete: async (request) => {
      asked.push({ ...request, messages: [...request.messages] });
      const next = replies[asked.length - 1];
      if (next === undefined) throw new Error('the script has ended');
      return next;
    },
    list: () => [info],
    select: () => info,
  };
}
