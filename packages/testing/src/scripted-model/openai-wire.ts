import type { ChatMessage, ToolCall } from '@loom/shared/chat';
import { z } from 'zod';
import { type Answer, measureUsage } from './answer.ts';
import type { ScriptedRequest } from './request.ts';
import { argumentPieces, plainText, type Wire } from './wire.ts';

const requestSchema = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.unknown().optional(),
      tool_call_id: z.string().optional(),
      tool_calls: z
        .array(
          z.looseObject({
            id: z.string(),
            function: z.looseObject({ name: z.string(), arguments: z.string() }),
          }),
        )
        .nullish(),
    }),
  ),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).nullish(),
});

type WireMessage = z.infer<typeof requestSchema>['messages'][number];

/** `POST /v1/chat/completions` as OpenAI defines it. */
export const openaiWire: Wire = {
  parse(body) {
    const request = requestSchema.parse(body);
    return {
      model: request.model,
      stream: request.stream ?? false,
      messages: request.messages.map(toMessage),
      tools: (request.tools ?? []).map((tool) => tool.function.name),
    };
  },

  stream(request, answer) {
    const head = { ...identity(request), object: 'chat.completion.chunk' };
    const chunk = (delta: object, finish: string | null = null) =>
      block({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
    const events = [chunk({ role: 'assistant', content: '' })];
    for (const piece of answer.pieces) events.push(chunk({ content: piece }));
    answer.calls.forEach((call, index) => {
      const start = { name: call.name, arguments: '' };
      events.push(
        chunk({ tool_calls: [{ index, id: call.id, type: 'function', function: start }] }),
      );
      for (const piece of argumentPieces(call.arguments)) {
        events.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
      }
    });
    events.push(chunk({}, finishReason(answer)));
    if (wantsUsage(request))
      events.push(block({ ...head, choices: [], usage: usage(request, answer) }));
    events.push('data: [DONE]\n\n');
    return events;
  },

  whole(request, answer) {
    const content = answer.pieces.join('');
    const calls = answer.calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    }));
    const message = {
      role: 'assistant',
      content: content === '' && calls.length > 0 ? null : content,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    return {
      ...identity(request),
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: finishReason(answer) }],
      usage: usage(request, answer),
    };
  },

  error(status, message) {
    const type =
      status === 429
        ? 'rate_limit_error'
        : status >= 500
          ? 'server_error'
          : 'invalid_request_error';
    return { error: { message, type, param: null, code: null } };
  },
};

function toMessage(message: WireMessage): ChatMessage {
  const role = message.role === 'developer' ? 'system' : message.role;
  const calls = (message.tool_calls ?? []).map(
    (call): ToolCall => ({
      id: call.id,
      name: call.function.name,
      arguments: parseArguments(call.function.arguments),
    }),
  );
  return {
    role: z.enum(['system', 'user', 'assistant', 'tool']).parse(role),
    content: plainText(message.content),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(message.tool_call_id === undefined ? {} : { tool_call_id: message.tool_call_id }),
  };
}

function parseArguments(json: string): ToolCall['arguments'] {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function identity(request: ScriptedRequest) {
  return { id: `chatcmpl-${request.number}`, created: 1_700_000_000, model: request.model };
}

function finishReason(answer: Answer): string {
  return answer.calls.length > 0 ? 'tool_calls' : 'stop';
}

function wantsUsage(request: ScriptedRequest): boolean {
  const options = request.body.stream_options;
  return typeof options === 'object' && options !== null && 'include_usage' in options
    ? options.include_usage === true
    : false;
}

function usage(request: ScriptedRequest, answer: Answer) {
  const { input_tokens: input, output_tokens: output } = measureUsage(request, answer);
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function block(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
