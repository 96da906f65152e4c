import type { ModelReply, ModelRequest } from '@loom/shared/chat';
import { modelConfigSchema } from '@loom/shared/config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createModels, type ModelsOptions } from './create-models.ts';
import { cut, events, json, startWireServer } from './testing/wire-server.ts';

const key = 'canary-key-0123456789';
let server: Awaited<ReturnType<typeof startWireServer>>;

beforeAll(async () => {
  server = await startWireServer();
});
afterAll(() => server.stop());

const tools = [{ name: 'write_file', description: 'Writes', input_schema: { type: 'object' } }];

const retry = {
  max_attempts: 3,
  base_delay_ms: 1,
  max_delay_ms: 1_500,
  jitter_ms: 0,
  park_after_ms: 60_000,
};

function connect(options: Partial<ModelsOptions> = {}) {
  const local = modelConfigSchema.parse({
    provider: 'openai-compatible',
    base_url: `${server.url}/v1`,
    model: 'm',
    api_key_env: 'KEY',
    input_cost_per_million: 3,
    output_cost_per_million: 15.5,
  });
  return createModels({
    models: { local },
    apiKey: (name) => (name === 'KEY' ? key : undefined),
    retry,
    timeout_ms: 10_000,
    ...options,
  });
}

function ask(request: Partial<ModelRequest> = {}, options: Partial<ModelsOptions> = {}) {
  const messages = request.messages ?? [{ role: 'user', content: 'Hi' }];
  return connect(options).complete({ role: 'cowork', tools, ...request, messages });
}

/** Asks with streaming and returns the reply with the pieces it came in. */
async function askStreaming(request: Partial<ModelRequest> = {}) {
  const deltas: string[] = [];
  const reply: ModelReply = await ask({ ...request, on_delta: (text) => deltas.push(text) });
  return { reply, deltas };
}

function completion(message: object, extra: object = {}) {
  return { id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }], ...extra };
}

function chunk(delta: object, finish_reason: string | null = null) {
  return { id: 'x', choices: [{ index: 0, delta, finish_reason }] };
}

const hello = completion({ role: 'assistant', content: 'Hello' });

function call(id: string, args: unknown) {
  return { id, type: 'function', function: { name: 'write_file', arguments: args } };
}

describe('one piece', () => {
  it('sends model, messages and tools, and reads text, calls and usage', async () => {
    const usage = { prompt_tokens: 11, completion_tokens: 5 };
    const message = {
      role: 'assistant',
      content: 'Writing.',
      tool_calls: [call('a', '{"path":"x"}'), call('a', '{"broken'), call('', '[1]')],
    };
    server.answer(json(completion(message, { usage })));
    expect(await ask()).toEqual({
      text: 'Writing.',
      tool_calls: [
        { id: 'a', name: 'write_file', arguments: { path: 'x' } },
        { id: 'a-2', name: 'write_file', arguments: '{"broken' },
        { id: 'call-3', name: 'write_file', arguments: [1] },
      ],
      usage: { input_tokens: 11, output_tokens: 5 },
      // 11 × 3 + 5 × 15.5, rounded up.
      cost_micros: 111,
      model: 'local',
    });
    expect(server.received[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${key}` },
      body: {
        model: 'm',
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [{ type: 'function', function: { name: 'write_file', parameters: {} } }],
      },
    });
    expect(server.received[0]?.body.stream).toBeUndefined();
  });

  it('takes arguments that are objects already, and cleans what cannot be stored', async () => {
    const message = { content: 'a\u0000b', tool_calls: [call('a', { path: 'x\ud800' })] };
    server.answer(json(completion(message)));
    const reply = await ask();
    expect(reply.text).toBe('a\uFFFDb');
    expect(reply.tool_calls[0]?.arguments).toEqual({ path: 'x\uFFFD' });
    expect(reply.usage.output_tokens).toBeGreaterThan(0);
  });

  it('does without the optional fields for a server that refuses them, from then on', async () => {
    const refusal = json({ detail: 'max_tokens: Extra inputs are not permitted' }, 422);
    server.answer(refusal, json(hello));
    const models = connect();
    const request: ModelRequest = { role: 'cowork', messages: [{ role: 'user', content: 'Hi' }] };
    expect((await models.complete(request)).text).toBe('Hello');
    await models.complete({ ...request, on_delta: () => undefined });
    expect(server.received.map(({ body }) => 'max_tokens' in body)).toEqual([true, false, false]);
    expect(server.received[2]?.body).not.toHaveProperty('stream_options');
  });
});

describe('streaming', () => {
  it('passes text on as it comes and gathers calls from their pieces', async () => {
    server.answer(
      events([
        chunk({ role: 'assistant', content: 'Hel' }),
        chunk({ content: 'lo' }),
        chunk({ tool_calls: [{ index: 0, ...call('a', '{"pa') }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: 'th":"x"}' } }] }),
        chunk({ tool_calls: [{ index: 1, ...call('b', 'not json') }] }, 'tool_calls'),
        { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } },
        '[DONE]',
      ]),
    );
    const { reply, deltas } = await askStreaming();
    expect(deltas).toEqual(['Hel', 'lo']);
    expect(reply).toMatchObject({
      text: 'Hello',
      tool_calls: [
        { id: 'a', arguments: { path: 'x' } },
        { id: 'b', arguments: 'not json' },
      ],
      usage: { input_tokens: 9, output_tokens: 4 },
    });
    expect(server.received[0]?.body.stream).toBe(true);
  });

  it('works with a server that ignores the wish to stream', async () => {
    server.answer(json(completion({ content: 'Whole', tool_calls: [call('a', { path: 'x' })] })));
    const { reply, deltas } = await askStreaming();
    expect(deltas).toEqual(['Whole']);
    expect(reply.tool_calls).toMatchObject([{ id: 'a', arguments: { path: 'x' } }]);
  });

  it('works with a server that gives no finish reason but says it is done', async () => {
    server.answer(events([chunk({ content: 'Hello' }), '[DONE]']));
    expect((await askStreaming()).reply.text).toBe('Hello');
  });

  it.each([
    ['by a broken connection', events([chunk({ role: 'assistant' })], cut)],
    ['by an early end', events([chunk({ role: 'assistant' })])],
    ['by an error event', events([{ error: { message: 'overloaded', code: 503 } }])],
  ])('tries again when cut before the first text %s', async (_, broken) => {
    server.answer(broken, events([chunk({ content: 'Hello' }, 'stop'), '[DONE]']));
    const { reply, deltas } = await askStreaming();
    expect([reply.text, deltas, server.received.length]).toEqual(['Hello', ['Hello'], 2]);
  });

  it('never starts again once text was shown', async () => {
    server.answer(events([chunk({ content: 'Half' })], cut), json(hello));
    const deltas: string[] = [];
    await expect(ask({ on_delta: (text) => deltas.push(text) })).rejects.toMatchObject({
      code: 'model_unavailable',
      retryable: true,
      message: expect.stringContaining('in the middle of its answer'),
    });
    expect([deltas, server.received.length]).toEqual([['Half'], 1]);
  });
});

describe('failures', () => {
  it('honours Retry-After and reports the retry', async () => {
    const limited = json({ error: { message: 'slow' } }, 429, { 'retry-after': '1' });
    server.answer(limited, json(hello));
    const retries: unknown[] = [];
    const before = performance.now();
    expect((await ask({ on_retry: (retry) => retries.push(retry) })).text).toBe('Hello');
    expect(performance.now() - before).toBeGreaterThanOrEqual(990);
    expect(retries).toEqual([{ attempt: 1, delay_ms: 1_000, reason: 'slow' }]);
  });

  it('gives up at once when asked for more patience than it has', async () => {
    server.answer(json({ error: { message: 'slow' } }, 429, { 'retry-after': '60' }));
    await expect(ask()).rejects.toMatchObject({
      code: 'model_rate_limited',
      retryable: true,
      details: { retry_after_ms: 60_000, attempts: 1, model: 'local' },
    });
    expect(server.received).toHaveLength(1);
  });

  it('leaves a longer wait to the caller, with the time the server named', async () => {
    const options = { retry: { ...retry, park_after_ms: 500 } };
    for (const status of [429, 503]) {
      server.answer(json({ error: { message: 'slow' } }, status, { 'retry-after': '1' }));
      await expect(ask({}, options)).rejects.toMatchObject({
        code: 'model_rate_limited',
        retryable: true,
        details: { retry_after_ms: 1_000, attempts: 1 },
      });
      expect(server.received).toHaveLength(1);
    }
  });

  it('leaves an outage to the caller once waiting takes too long', async () => {
    server.answer(json('oops', 500));
    const options = { retry: { ...retry, max_attempts: 9, base_delay_ms: 2, park_after_ms: 5 } };
    await expect(ask({}, options)).rejects.toMatchObject({
      code: 'model_unavailable',
      retryable: true,
      details: { attempts: 3 },
    });
    expect(server.received).toHaveLength(3);
  });

  it.each([
    ['server errors', json('oops', 500), 'model_unavailable', true, 3],
    ['rate limits', json('{}', 429), 'model_rate_limited', true, 3],
    ['replies that are not JSON', json('{"choices": [', 200), 'model_bad_reply', false, 3],
    ['replies without a choice', json({ choices: [] }), 'model_bad_reply', false, 3],
    ['a missing model', json({ error: 'no such model' }, 404), 'model_rejected', false, 1],
  ])('classes %s', async (_, answer, code, retryable, tries) => {
    server.answer(answer);
    await expect(ask()).rejects.toMatchObject({ code, retryable });
    expect(server.received).toHaveLength(tries);
  });

  it('shows what the provider said, never the key', async () => {
    server.answer(json({ error: { message: `Wrong key ${key}, sk-abcdefgh123` } }, 401));
    const error = await ask().catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: 'model_rejected' });
    expect(String((error as Error).message)).toContain('Wrong key [redacted], [redacted]');
    expect(JSON.stringify(error)).not.toContain(key);
    expect((error as Error).cause).toBeUndefined();
  });

  it('ends a try that hangs, closes its connection, and tries again', async () => {
    server.answer(() => undefined, json(hello));
    expect((await ask({}, { timeout_ms: 100 })).text).toBe('Hello');
    await server.received[0]?.closed;
    server.answer(() => undefined);
    await expect(ask({}, { timeout_ms: 30 })).rejects.toMatchObject({
      code: 'model_unavailable',
      message: expect.stringContaining('no answer within 0.03 s'),
    });
    expect(server.received).toHaveLength(3);
  });

  it('tries again when nothing listens', async () => {
    const gone = modelConfigSchema.parse({
      provider: 'openai-compatible',
      base_url: 'http://127.0.0.1:1/v1',
      model: 'm',
    });
    const retries: number[] = [];
    const asked = ask({ on_retry: (r) => retries.push(r.attempt) }, { models: { gone } });
    await expect(asked).rejects.toMatchObject({ code: 'model_unavailable', retryable: true });
    expect(retries).toEqual([1, 2]);
  });

  it('says which variable is missing, and which model', async () => {
    await expect(ask({}, { apiKey: () => undefined })).rejects.toMatchObject({
      code: 'model_rejected',
      message: expect.stringContaining('KEY'),
    });
    await expect(ask({ model: 'nobody' })).rejects.toMatchObject({
      code: 'model_unavailable',
      retryable: false,
    });
  });
});

describe('cancelling', () => {
  it('closes the connection of a call that waits', async () => {
    const controller = new AbortController();
    server.answer(() => controller.abort());
    await expect(ask({ signal: controller.signal })).rejects.toMatchObject({ code: 'cancelled' });
    await server.received[0]?.closed;
    expect(server.received).toHaveLength(1);
  });

  it('closes the connection of a call that streams', async () => {
    const controller = new AbortController();
    server.answer(events([chunk({ content: 'Half' })], () => undefined));
    const on_delta = () => controller.abort();
    const asked = ask({ signal: controller.signal, on_delta });
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    await server.received[0]?.closed;
  });

  it('ends the wait before a retry, and does not begin after', async () => {
    const controller = new AbortController();
    server.answer(json('{}', 429, { 'retry-after': '1' }));
    let before = 0;
    const on_retry = () => {
      before = performance.now();
      controller.abort();
    };
    const asked = ask({ signal: controller.signal, on_retry });
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    expect(performance.now() - before).toBeLessThan(900);
    await expect(ask({ signal: controller.signal })).rejects.toMatchObject({ code: 'cancelled' });
    expect(server.received).toHaveLength(1);
  });
});
