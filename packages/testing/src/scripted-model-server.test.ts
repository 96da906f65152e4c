import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parallelPlan } from './builders.ts';
import { fault, text, toolCalls } from './scripted-model/replies.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model-server.ts';

let model: ScriptedModel;
let openai: OpenAI;

beforeEach(async () => {
  model = await startScriptedModel();
  openai = new OpenAI({ baseURL: model.url, apiKey: 'unused', maxRetries: 0, logLevel: 'off' });
});
afterEach(() => model.close());

const ask = (content: string, tools: string[] = []) => ({
  model: 'm',
  messages: [{ role: 'user' as const, content }],
  tools: tools.map((name) => ({ type: 'function' as const, function: { name } })),
});

async function streamText(content: string): Promise<string> {
  let received = '';
  for await (const chunk of await openai.chat.completions.create({
    ...ask(content),
    stream: true,
  })) {
    received += chunk.choices[0]?.delta.content ?? '';
  }
  return received;
}

describe('the OpenAI protocol', () => {
  it('answers with text and usage in one piece', async () => {
    model.on('any', text('hello there'));
    const reply = await openai.chat.completions.create(ask('hi'));
    expect(reply.choices[0]?.message.content).toBe('hello there');
    expect(reply.choices[0]?.finish_reason).toBe('stop');
    expect(reply.usage).toEqual({ prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 });
  });

  it('streams text in the pieces asked for, with usage when wanted', async () => {
    model.on('any', text('', { chunks: ['a 🎉', 'b', 'c'] }));
    const stream = await openai.chat.completions.create({
      ...ask('hi'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const deltas: string[] = [];
    let output = 0;
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta.content;
      if (delta) deltas.push(delta);
      output = chunk.usage?.completion_tokens ?? output;
    }
    expect(deltas).toEqual(['a 🎉', 'b', 'c']);
    expect(output).toBe(2);
  });

  it('waits in the middle of a stream for as long as a test wants', async () => {
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const asked: number[] = [];
    const beforePiece = (sent: number) => {
      asked.push(sent);
      return sent === 2 ? held : undefined;
    };
    model.on('any', text('', { chunks: ['half ', 'whole'], beforePiece }));
    const stream = await openai.chat.completions.create({ ...ask('go'), stream: true });
    let seen = '';
    for await (const chunk of stream) {
      seen += chunk.choices[0]?.delta.content ?? '';
      if (seen !== 'half ') continue;
      expect(asked).toEqual([0, 1, 2]);
      goOn();
    }
    expect(seen).toBe('half whole');
  });

  it('streams tool calls with their arguments in pieces', async () => {
    const calls = [
      { name: 'write_file', arguments: { path: 'a.txt', content: 'long '.repeat(20) } },
      { name: 'read_file', arguments: { path: 'b.txt' } },
    ];
    model.on('any', toolCalls(calls, { text: 'Working.' }));
    const runner = openai.chat.completions.stream(ask('go', ['write_file', 'read_file']));
    const message = await runner.finalMessage();
    expect(message.content).toBe('Working.');
    expect(
      message.tool_calls?.map((call) =>
        call.type === 'function' ? JSON.parse(call.function.arguments) : null,
      ),
    ).toEqual(calls.map((call) => call.arguments));
    expect(new Set(message.tool_calls?.map((call) => call.id)).size).toBe(2);
    expect(model.requests[0]?.tools).toEqual(['write_file', 'read_file']);
  });

  it('lists its model', async () => {
    expect((await openai.models.list()).data.map((found) => found.id)).toEqual(['scripted']);
  });
});

describe('the Anthropic protocol', () => {
  const send = async (body: object) => {
    const response = await fetch(`${model.url}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'c', max_tokens: 100, ...body }),
    });
    return { status: response.status, body: await response.text() };
  };

  it('answers with tool use, and reads results sent back', async () => {
    model.on('any', toolCalls([{ name: 'read_file', arguments: { path: 'a' } }]));
    const { body } = await send({
      system: [{ type: 'text', text: 'You are careful.' }],
      messages: [
        { role: 'user', content: 'read it' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'x', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'found' }] },
      ],
    });
    expect(JSON.parse(body)).toMatchObject({
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', name: 'read_file', input: { path: 'a' } }],
    });
    expect(model.requests[0]?.messages).toEqual([
      { role: 'system', content: 'You are careful.' },
      { role: 'user', content: 'read it' },
      { role: 'assistant', content: '', tool_calls: [{ id: 't1', name: 'x', arguments: {} }] },
      { role: 'tool', content: 'found', tool_call_id: 't1' },
    ]);
  });

  it('streams blocks in the order of the protocol', async () => {
    model.on('any', text('', { chunks: ['a', 'b'] }));
    const { body } = await send({ stream: true, messages: [{ role: 'user', content: 'hi' }] });
    const types = [...body.matchAll(/^event: (.*)$/gm)].map((match) => match[1]);
    expect(types).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });
});

describe('rules', () => {
  it('tries once-rules first and on-rules in order', async () => {
    model.on({ lastUser: /^a/ }, text('first'));
    model.on('any', (request, match) => text(`${request.lastUserText} ${match}`));
    model.once('any', text('once'));
    const answers = [];
    for (const word of ['a', 'a', 'b', 'c']) answers.push(await streamText(word));
    expect(answers).toEqual(['once', 'first', 'b 1', 'c 2']);
  });

  it('refuses what no rule is for', async () => {
    model.on('planner', text('x'));
    await expect(streamText('hi')).rejects.toThrow('no rule for this cowork request');
  });

  it('holds requests at a gate until it is released', async () => {
    model.on('any', text('through'));
    const gate = model.hold({ lastUser: 'held' });
    const done: string[] = [];
    const held = [1, 2].map((n) => streamText(`held ${n}`).then(() => done.push(`held ${n}`)));
    await gate.arrivals(2);
    await streamText('free').then(() => done.push('free'));
    expect(done).toEqual(['free']);
    gate.release();
    await Promise.all(held);
    expect(done).toHaveLength(3);
    expect((await gate.arrived).lastUserText).toMatch(/^held/);
  });
});

describe('faults', () => {
  it('sends a status with Retry-After', async () => {
    model.on('any', fault({ kind: 'status', status: 429, retryAfter: 7 }));
    const error = await openai.chat.completions.create(ask('x')).catch((caught) => caught);
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error.headers.get('retry-after')).toBe('7');
  });

  it('hangs until the caller gives up', async () => {
    model.on({ lastUser: 'x' }, fault({ kind: 'hang' }));
    model.on('any', text('others are served'));
    const gate = model.hold({ lastUser: 'x' });
    const leave = new AbortController();
    const hanging = openai.chat.completions.create(ask('x'), { signal: leave.signal });
    const request = await gate.arrived;
    gate.release();
    expect(await streamText('y')).toBe('others are served');
    expect(request.abandoned).toBe(false);
    leave.abort();
    await expect(hanging).rejects.toThrow(OpenAI.APIUserAbortError);
    await expect.poll(() => request.abandoned).toBe(true);
    expect(model.requests[1]).toMatchObject({ lastUserText: 'y', abandoned: false });
  });

  it('cuts the stream at the byte asked for', async () => {
    model.on('any', fault({ kind: 'cut', afterBytes: 500 }));
    const response = await fetch(`${model.url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...ask('x'), stream: true }),
    });
    const received: Uint8Array[] = [];
    const read = async () => {
      for await (const part of response.body ?? []) received.push(part);
    };
    await expect(read()).rejects.toThrow();
    expect(Buffer.concat(received).length).toBe(500);
  });

  it('sends broken JSON, an empty reply and equal call ids', async () => {
    model.once('any', fault({ kind: 'invalid_json' }));
    await expect(streamText('x')).rejects.toThrow(SyntaxError);
    model.once('any', fault({ kind: 'empty' }));
    expect(await streamText('x')).toBe('');
    model.once('any', fault({ kind: 'duplicate_ids' }));
    const reply = await openai.chat.completions.create(ask('x'));
    const ids = reply.choices[0]?.message.tool_calls?.map((call) => call.id) ?? [];
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });
});

describe('the working brain', () => {
  const answer = async (body: Parameters<typeof ask>) =>
    (await openai.chat.completions.create(ask(...body))).choices[0]?.message;

  it('plans, executes, verifies and delegates by the markers of the prompts', async () => {
    model.useWorkingBrain({ subtasks: 3 });
    const planned = await answer(['Plan it.\nGOAL:\nBuild\nEND GOAL']);
    expect(JSON.parse(planned?.content ?? '')).toEqual(parallelPlan(3));

    const subtask = 'SUBTASK: write\nEND SUBTASK\nDELIVERABLES:\n- a.md\n- b.json\nBe careful.';
    const executed = await answer([subtask, ['write_file']]);
    const paths = executed?.tool_calls?.map((call) =>
      call.type === 'function' ? JSON.parse(call.function.arguments).path : null,
    );
    expect(paths).toEqual(['a.md', 'b.json']);

    const verified = await answer(['REQUIREMENT: write\nEND REQUIREMENT']);
    expect(JSON.parse(verified?.content ?? '').outcome).toBe('pass');

    const delegated = await answer(['delegate: build it', ['delegate_task']]);
    expect(delegated?.tool_calls?.[0]).toMatchObject({
      function: { name: 'delegate_task', arguments: '{"goal":"build it"}' },
    });
    expect((await answer(['hello', ['delegate_task']]))?.content).toBe('You said: hello');
    expect(model.requests.map((request) => request.role)).toEqual([
      'planner',
      'executor',
      'verifier',
      'cowork',
      'cowork',
    ]);
  });

  it('ends an executor once its calls are answered', async () => {
    model.useWorkingBrain();
    const reply = await openai.chat.completions.create({
      model: 'm',
      messages: [
        { role: 'system', content: 'SUBTASK: write\nEND SUBTASK\nDELIVERABLES:\n- a.md' },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'c', type: 'function', function: { name: 'write_file', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c', content: 'written' },
      ],
    });
    expect(reply.choices[0]?.message.content).toBe('Done: write');
  });
});
