import type { JsonValue } from '@loom/shared/json';
import type { ToolContext, ToolDefinition } from '@loom/shared/tool';
import { createToolRegistry } from '@loom/tools/registry';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { PendingCall } from './pending-calls.ts';
import { runToolCalls, type ToolRecord } from './run-tool-calls.ts';

const input = z.strictObject({ name: z.string() });

interface World {
  /** What happened, in order: begins and ends of tools, and commits. */
  log: string[];
  records: ToolRecord[];
  run(calls: PendingCall[], options?: Partial<Parameters<typeof runToolCalls>[0]>): Promise<void>;
}

/** Small tools that note when they begin and end; `read` waits until everybody who reads has begun. */
function openWorld(reads = 1): World {
  const log: string[] = [];
  const records: ToolRecord[] = [];
  let begun = 0;
  let open: () => void = () => undefined;
  const allRead = new Promise<void>((resolve) => {
    open = resolve;
  });
  const tool = (
    name: string,
    effect: ToolDefinition['effect'],
    run: (name: string, context: ToolContext) => Promise<void>,
  ): ToolDefinition<{ name: string }> => ({
    name,
    description: name,
    effect,
    timeout_ms: 5_000,
    input,
    unavailable: () => null,
    run: async (args, context) => {
      log.push(`${name} ${args.name} begins`);
      await run(args.name, context);
      log.push(`${name} ${args.name} ends`);
      return { text: `${args.name} by ${context.call_key}`, files_changed: [`${args.name}.md`] };
    },
  });
  const tools = createToolRegistry(
    [
      tool('read', 'read', async () => {
        begun += 1;
        if (begun >= reads) open();
        await allRead;
      }),
      tool('put', 'idempotent', async () => undefined),
      tool('send', 'effectful', async (name) => {
        if (name === 'broken') throw new Error('the line is dead');
      }),
      tool(
        'hang',
        'read',
        (_name, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          }),
      ),
    ] as ToolDefinition[],
    { max_output_chars: 1_000 },
  );
  return {
    log,
    records,
    run: (calls, options = {}) =>
      runToolCalls({
        calls,
        tools,
        workspace: null,
        signal: new AbortController().signal,
        openIntents: new Set(),
        allowed: new Set(['read', 'put', 'send', 'hang']),
        boundary: () => false,
        commit: async (record) => {
          const states = record.ledger.map(({ key, status }) => `${key}=${status}`);
          log.push(`commit ${[...states, `${record.messages.length} messages`].join(' ')}`);
          records.push(record);
        },
        ...options,
      }),
  };
}

function call(id: string, name: string, args: JsonValue = { name: id }): PendingCall {
  return { call: { id, name, arguments: args }, key: `k/${id}` };
}

test('neighbouring reads run at once and are committed together, in the order of the calls', async () => {
  const world = openWorld(3);
  await world.run([call('a', 'read'), call('b', 'read'), call('c', 'read')]);
  expect(world.log.slice(0, 3)).toEqual(['read a begins', 'read b begins', 'read c begins']);
  expect(world.records).toHaveLength(1);
  expect(world.records[0]?.messages.map(({ tool_call_id }) => tool_call_id)).toEqual([
    'a',
    'b',
    'c',
  ]);
  expect(world.records[0]?.tool_calls).toBe(3);
  expect(world.records[0]?.events.map(({ type }) => type)).toEqual([
    'tool.call',
    'tool.result',
    'tool.call',
    'tool.result',
    'tool.call',
    'tool.result',
  ]);
});

test('calls with effects run one after the other, each committed before the next begins', async () => {
  const world = openWorld();
  await world.run([call('a', 'put'), call('b', 'send'), call('c', 'put')]);
  expect(world.log).toEqual([
    'put a begins',
    'put a ends',
    'commit k/a=done 1 messages',
    'commit k/b=intent 0 messages',
    'send b begins',
    'send b ends',
    'commit k/b=done 1 messages',
    'put c begins',
    'put c ends',
    'commit k/c=done 1 messages',
  ]);
});

test('a read does not overtake an effect before it', async () => {
  const world = openWorld();
  await world.run([call('a', 'read'), call('b', 'put'), call('c', 'read')]);
  expect(world.log.filter((line) => line.endsWith('begins'))).toEqual([
    'read a begins',
    'put b begins',
    'read c begins',
  ]);
  expect(world.records).toHaveLength(3);
});

describe('an effectful call', () => {
  test('is written down before the deed, and its end with what it did', async () => {
    const world = openWorld();
    await world.run([call('a', 'send')]);
    const [intent, done] = world.records;
    expect(intent?.ledger[0]).toEqual({
      key: 'k/a',
      tool: 'send',
      effect: 'effectful',
      arguments: { name: 'a' },
      status: 'intent',
      result: null,
      exit_code: null,
      files_changed: [],
    });
    expect(intent?.events.map(({ type }) => type)).toEqual(['tool.call']);
    expect(done?.ledger[0]).toMatchObject({
      status: 'done',
      result: 'a by k/a',
      files_changed: ['a.md'],
    });
    expect(done?.events.map(({ type }) => type)).toEqual(['tool.result']);
  });

  test('that fails is told as failed', async () => {
    const world = openWorld();
    await world.run([call('broken', 'send')]);
    expect(world.records[1]?.ledger[0]).toMatchObject({ status: 'failed', files_changed: [] });
    expect(world.records[1]?.messages[0]?.content).toContain('the line is dead');
    expect(world.records[1]?.events[0]?.type).toBe('tool.error');
  });

  test('does not happen when its intent cannot be stored', async () => {
    const world = openWorld();
    const commit = () => Promise.reject(new Error('not the owner'));
    await expect(world.run([call('a', 'send')], { commit })).rejects.toThrow('not the owner');
    expect(world.log).toEqual([]);
  });

  test('that was begun before a crash is in doubt and is not repeated', async () => {
    const world = openWorld();
    await world.run([call('a', 'send'), call('b', 'send')], { openIntents: new Set(['k/a']) });
    expect(world.log).toEqual([
      'commit k/a=in_doubt 1 messages',
      'commit k/b=intent 0 messages',
      'send b begins',
      'send b ends',
      'commit k/b=done 1 messages',
    ]);
    expect(world.records[0]?.messages[0]?.content).toContain('not known whether');
    expect(world.records[0]?.events).toEqual([
      { type: 'tool.in_doubt', data: { tool: 'send', call_id: 'a', key: 'k/a' } },
    ]);
  });
});

describe('a refused call', () => {
  test.each([
    ['of an unknown tool', call('a', 'destroy'), 'Use one of: hang, put, read, send.'],
    ['with wrong arguments', call('a', 'send', { nam: 1 }), 'arguments of send are invalid'],
    ['with no object as arguments', call('a', 'put', 'oops'), 'not a JSON object'],
  ])('%s is answered, and leaves no line in the ledger', async (_name, pending, text) => {
    const world = openWorld();
    await world.run([pending]);
    expect(world.records).toHaveLength(1);
    expect(world.records[0]?.ledger).toEqual([]);
    expect(world.records[0]?.messages[0]?.content).toContain(text);
    expect(world.records[0]?.events.map(({ type }) => type)).toEqual(['tool.call', 'tool.error']);
  });

  test('is refused in the same way among reads that run at once', async () => {
    const world = openWorld();
    await world.run([call('a', 'read'), call('b', 'read', {}), call('c', 'hang')], {
      allowed: new Set(['read']),
    });
    expect(world.records).toHaveLength(1);
    expect(world.records[0]?.ledger.map(({ key, status }) => `${key} ${status}`)).toEqual([
      'k/a done',
    ]);
    expect(world.records[0]?.messages.map(({ tool_call_id }) => tool_call_id)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });
});

describe('a boundary', () => {
  test('that says stop keeps the calls behind it from running', async () => {
    const world = openWorld();
    await world.run([call('a', 'put'), call('b', 'put')], {
      boundary: () => world.records.length > 0,
    });
    expect(world.log).toEqual(['put a begins', 'put a ends', 'commit k/a=done 1 messages']);
  });

  test('that throws ends the run at once', async () => {
    const world = openWorld();
    const boundary = () => {
      throw new Error('give back');
    };
    await expect(world.run([call('a', 'put')], { boundary })).rejects.toThrow('give back');
    expect(world.log).toEqual([]);
  });

  test('a read that was cut short leaves nothing: whoever goes on reads again', async () => {
    const world = openWorld();
    const abort = new AbortController();
    const running = world.run([call('a', 'hang')], {
      signal: abort.signal,
      boundary: () => abort.signal.aborted,
    });
    abort.abort(new Error('the grace period is over'));
    await running;
    expect(world.records).toEqual([]);
  });
});

test('a long argument or result is shown by its beginning, cut between two characters', async () => {
  const world = openWorld();
  await world.run([call('😀'.repeat(400), 'put')]);
  for (const { data } of world.records[0]?.events ?? []) {
    const shown = String(data.text ?? data.arguments);
    expect(shown.isWellFormed()).toBe(true);
    expect(shown.length).toBeLessThanOrEqual(500);
  }
});
