import type { ModelInfo, ModelReply, ModelRequest, Models, ToolCall } from '@loom/shared/chat';

const info: ModelInfo = {
  name: 'scripted',
  provider: 'scripted',
  model: 'scripted',
  roles: ['cowork', 'executor'],
  tier: 1,
  context_tokens: 32_000,
  max_output_tokens: 8_192,
  is_demo: true,
};

/** A reply of calls, or of text when there are none. */
export function reply(text: string, ...tool_calls: ToolCall[]): ModelReply {
  const usage = { input_tokens: 1, output_tokens: 1 };
  return { text, tool_calls, usage, cost_micros: 0, model: 'scripted' };
}

/** What a script answers: a reply, a failure, or whatever comes of the request. */
export type ScriptedReply =
  | ModelReply
  | Error
  | ((request: ModelRequest) => Promise<ModelReply | Error>);

/** A model that gives these replies one after the other, and remembers what it was asked. */
export function scriptedModels(replies: ScriptedReply[]): Models & { asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    asked,
    complete: async (request) => {
      asked.push({ ...request, messages: [...request.messages] });
      const next = replies[asked.length - 1];
      if (next === undefined) throw new Error('the script has ended');
      const given = typeof next === 'function' ? await next(request) : next;
      if (given instanceof Error) throw given;
      return given;
    },
    list: () => [info],
    select: () => info,
  };
}
