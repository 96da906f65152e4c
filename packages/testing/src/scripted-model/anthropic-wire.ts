import type { ChatMessage } from '@loom/shared/chat';
import { z } from 'zod';
import { type Answer, measureUsage } from './answer.ts';
import type { ScriptedRequest } from './request.ts';
import { argumentPieces, plainText, type Wire } from './wire.ts';

const blockSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.json() }),
  z.looseObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.unknown().optional(),
  }),
]);

const requestSchema = z.looseObject({
  model: z.string(),
  max_tokens: z.number(),
  stream: z.boolean().nullish(),
  system: z.unknown().optional(),
  messages: z.array(
    z.looseObject({
      role: z.enum(['user', 'assistant']),
      content: z.union([z.string(), z.array(blockSchema)]),
    }),
  ),
  tools: z.array(z.looseObject({ name: z.string() })).nullish(),
});

type WireMessage = z.infer<typeof requestSchema>['messages'][number];

/** `POST /v1/messages` as Anthropic defines it. */
export const anthropicWire: Wire = {
  parse(body) {
    const request = requestSchema.parse(body);
    const system = plainText(request.system);
    return {
      model: request.model,
      stream: request.stream ?? false,
      messages: [
        ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
        ...request.messages.flatMap(toMessages),
      ],
      tools: (request.tools ?? []).map((tool) => tool.name),
    };
  },

  stream(request, answer) {
    const used = measureUsage(request, answer);
    const message = { ...envelope(request), content: [], stop_reason: null, stop_sequence: null };
    const events = [
      block('message_start', { message: { ...message, usage: { ...used, output_tokens: 1 } } }),
      block('ping', {}),
    ];
    let index = 0;
    const addBlock = (start: object, deltas: object[]) => {
      events.push(block('content_block_start', { index, content_block: start }));
      for (const delta of deltas) events.push(block('content_block_delta', { index, delta }));
      events.push(block('content_block_stop', { index }));
      index += 1;
    };
    if (answer.pieces.length > 0) {
      addBlock(
        { type: 'text', text: '' },
        answer.pieces.map((piece) => ({ type: 'text_delta', text: piece })),
      );
    }
    for (const call of answer.calls) {
      addBlock(
        { type: 'tool_use', id: call.id, name: call.name, input: {} },
        argumentPieces(call.arguments).map((piece) => ({
          type: 'input_json_delta',
          partial_json: piece,
        })),
      );
    }
    const stop = { stop_reason: stopReason(answer), stop_sequence: null };
    events.push(
      block('message_delta', { delta: stop, usage: { output_tokens: used.output_tokens } }),
    );
    events.push(block('message_stop', {}));
    return events;
  },

  whole(request, answer) {
    const content = answer.pieces.join('');
    return {
      ...envelope(request),
      content: [
        ...(content === '' ? [] : [{ type: 'text', text: content }]),
        ...answer.calls.map((call) => ({
          type: 'tool_use',
          id: call.id,
          name: call.name,
          input: JSON.parse(call.arguments),
        })),
      ],
      stop_reason: stopReason(answer),
      stop_sequence: null,
      usage: measureUsage(request, answer),
    };
  },

  error(status, message) {
    const type =
      status === 429
        ? 'rate_limit_error'
        : status === 529
          ? 'overloaded_error'
          : status >= 500
            ? 'api_error'
            : 'invalid_request_error';
    return { type: 'error', error: { type, message } };
  },
};

function toMessages(message: WireMessage): ChatMessage[] {
  if (typeof message.content === 'string') {
    return [{ role: message.role, content: message.content }];
  }
  const results: ChatMessage[] = [];
  const calls: NonNullable<ChatMessage['tool_calls']> = [];
  let content = '';
  for (const part of message.content) {
    if (part.type === 'text') content += part.text;
    else if (part.type === 'tool_use') {
      calls.push({ id: part.id, name: part.name, arguments: part.input });
    } else {
      results.push({
        role: 'tool',
        content: plainText(part.content),
        tool_call_id: part.tool_use_id,
      });
    }
  }
  const own = { role: message.role, content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  return content === '' && calls.length === 0 ? results : [...results, own];
}

function envelope(request: ScriptedRequest) {
  return {
    id: `msg_${request.number}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
  };
}

function stopReason(answer: Answer): string {
  return answer.calls.length > 0 ? 'tool_use' : 'end_turn';
}

function block(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
