import type { ChatMessage } from '@loom/shared/chat';
import { type ModelConfig, modelConfigSchema } from '@loom/shared/config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createModels } from './create-models.ts';
import { events, json, startWireServer } from './testing/wire-server.ts';

let server: Awaited<ReturnType<typeof startWireServer>>;

beforeAll(async () => {
  server = await startWireServer();
});
afterAll(() => server.stop());

const conversation: ChatMessage[] = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'Go' },
  { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'look', arguments: '{"bad' }] },
  { role: 'tool', content: 'seen', tool_call_id: 'c1' },
  { role: 'system', content: 'Reminder.' },
];

async function ask(provider: ModelConfig['provider'], streaming: boolean, path = '') {
  const base_url = server.url + path;
  const one = modelConfigSchema.parse({ provider, base_url, model: 'm', max_output_tokens: 99 });
  const models = createModels({
    models: { one },
    apiKey: () => 'the-key',
    retry: {
      max_attempts: 2,
      base_delay_ms: 1,
      max_delay_ms: 10,
      jitter_ms: 0,
      park_after_ms: 10,
    },
    timeout_ms: 10_000,
  });
  const deltas: string[] = [];
  const reply = await models.complete({
    role: 'executor',
    messages: conversation,
    tools: [{ name: 'look', description: 'Looks', input_schema: { type: 'object' } }],
    on_delta: streaming ? (text) => deltas.push(text) : undefined,
  });
  return { reply, deltas };
}

const expectedReply = {
  text: 'Hello',
  tool_calls: [{ id: 't1', name: 'look', arguments: { at: 'x' } }],
  usage: { input_tokens: 20, output_tokens: 7 },
  cost_micros: 0,
  model: 'one',
};

describe('anthropic', () => {
  const usage = { input_tokens: 20, output_tokens: 1 };
  const start = {
    type: 'message_start',
    message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage },
  };
  const block = (index: number, content_block: object, delta: object) => [
    { type: 'content_block_start', index, content_block },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
  const text = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hello' });
  const toolUse = block(
    1,
    { type: 'tool_use', id: 't1', name: 'look', input: {} },
    { type: 'input_json_delta', partial_json: '{"at":"x"}' },
  );
  const end = [
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 7 },
    },
    { type: 'message_stop' },
  ];

  it('streams text and tool use, with system text only at the start', async () => {
    server.answer(events([start, ...text, ...toolUse, ...end]));
    const { reply, deltas } = await ask('anthropic', true);
    expect(reply).toEqual(expectedReply);
    expect(deltas).toEqual(['Hello']);
    expect(server.received[0]).toMatchObject({
      path: '/messages',
      headers: { 'x-api-key': 'the-key' },
      body: {
        max_tokens: 99,
        system: [{ type: 'text', text: 'Be kind.' }],
        messages: [
          { role: 'user', content: [{ text: 'Go' }] },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'c1', input: { invalid_arguments: '{"bad' } }],
          },
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'c1' }, { text: '[System] Reminder.' }],
          },
        ],
      },
    });
  });

  it('reads a reply in one piece', async () => {
    const content = [
      { type: 'text', text: 'Hello' },
      { type: 'tool_use', id: 't1', name: 'look', input: { at: 'x' } },
    ];
    const message = { ...start.message, content, stop_reason: 'tool_use', stop_sequence: null };
    server.answer(json({ ...message, usage: { input_tokens: 20, output_tokens: 7 } }));
    expect((await ask('anthropic', false)).reply).toEqual(expectedReply);
  });

  it.each([
    ['overloaded', events([{ type: 'error', error: { type: 'overloaded_error', message: 'x' } }])],
    ['cut before text', events([start])],
    ['529', json({ type: 'error', error: { type: 'overloaded_error', message: 'x' } }, 529)],
  ])('tries again: %s', async (_, broken) => {
    server.answer(broken, events([start, ...text, ...toolUse, ...end]));
    expect((await ask('anthropic', true)).reply.text).toBe('Hello');
    expect(server.received).toHaveLength(2);
  });

  it('notices a stream that ends early after text', async () => {
    server.answer(events([start, ...text]));
    await expect(ask('anthropic', true)).rejects.toMatchObject({ code: 'model_unavailable' });
    expect(server.received).toHaveLength(1);
  });
});

describe('openai', () => {
  const toolCall = {
    id: 't1',
    type: 'function',
    function: { name: 'look', arguments: '{"at":"x"}' },
  };
  const usage = { prompt_tokens: 20, completion_tokens: 7 };

  it('speaks chat completions, streaming and not', async () => {
    const message = { role: 'assistant', content: 'Hello', tool_calls: [toolCall] };
    server.answer(
      json({ id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
    );
    expect((await ask('openai', false)).reply).toEqual(expectedReply);
    expect(server.received[0]).toMatchObject({
      path: '/chat/completions',
      headers: { authorization: 'Bearer the-key' },
    });

    const delta = { role: 'assistant', content: 'Hello', tool_calls: [{ index: 0, ...toolCall }] };
    const chunk = { id: 'x', choices: [{ index: 0, delta, finish_reason: 'tool_calls' }], usage };
    server.answer(events([chunk, '[DONE]']));
    expect((await ask('openai', true)).reply).toEqual(expectedReply);
  });

  it('notices a stream that ends early', async () => {
    server.answer(events([{ id: 'x', choices: [{ index: 0, delta: { content: 'Hal' } }] }]));
    await expect(ask('openai', true)).rejects.toMatchObject({ code: 'model_unavailable' });
  });
});

describe('ollama', () => {
  const message = {
    role: 'assistant',
    content: 'Hello',
    tool_calls: [{ id: 't1', function: { name: 'look', arguments: { at: 'x' } } }],
  };
  const whole = {
    model: 'm',
    created_at: '2026-01-01T00:00:00Z',
    message,
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 20,
    eval_count: 7,
  };

  it.each([
    ['with', '/api'],
    ['without', ''],
  ])('finds the API %s its path, streaming and not', async (_, path) => {
    server.answer(json(whole));
    expect((await ask('ollama', false, path)).reply).toEqual(expectedReply);
    expect(server.received[0]).toMatchObject({
      path: '/api/chat',
      body: { options: { num_ctx: 128_000, num_predict: 99 } },
    });
    server.answer(json(`${JSON.stringify(whole)}\n`));
    expect((await ask('ollama', true, path)).reply).toEqual(expectedReply);
  });
});

describe('demo', () => {
  it('answers without a server', async () => {
    const one = modelConfigSchema.parse({ provider: 'demo', model: 'demo' });
    const retry = {
      max_attempts: 1,
      base_delay_ms: 1,
      max_delay_ms: 1,
      jitter_ms: 0,
      park_after_ms: 1,
    };
    const models = createModels({
      models: { one },
      apiKey: () => undefined,
      retry,
      timeout_ms: 1e4,
    });
    const reply = await models.complete({
      role: 'cowork',
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(reply).toMatchObject({ model: 'one', text: expect.stringContaining('not an AI') });
    expect(reply.usage.output_tokens).toBeGreaterThan(10);
    expect(models.list()).toMatchObject([{ name: 'one', is_demo: true }]);
    expect(models.select({ role: 'planner' })?.name).toBe('one');
  });
});
