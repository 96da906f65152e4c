import { describe, expect, test } from 'vitest';
import { call, openToolWorld } from './test-support/tool-world.ts';

test('neighbouring reads run at once and are committed together, in the order of the calls', async () => {
  const world = openToolWorld(3);
  await world.run([call('a', 'read'), call('b', 'read'), call('c', 'read')]);
  expect(world.log.slice(0, 3)).toEqual(['read a begins', 'read b begins', 'read c begins']);
  expect(world.records).toHaveLength(1);
  expect(world.records[0]?.messages.map(({ tool_call_id }) => tool_call_id)).toEqual([
    'a',
    'b',
    'c',
  ]);
  expect(world.records[0]?.spent).toMatchObject({ tool_calls: 3, mutating_tool_calls: 0 });
  expect(world.records[0]?.actions).toEqual(['read', 'read', 'read']);
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
  const world = openToolWorld();
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
  const world = openToolWorld();
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
    const world = openToolWorld();
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
      changes: [],
    });
    expect(intent?.events.map(({ type }) => type)).toEqual(['tool.call']);
    expect(done?.ledger[0]).toMatchObject({
      status: 'done',
      result: 'a by k/a',
      changes: [{ path: 'a.md', after: null }],
    });
    expect(done?.events.map(({ type }) => type)).toEqual(['tool.result']);
  });

  test('that fails is told as failed', async () => {
    const world = openToolWorld();
    await world.run([call('broken', 'send')]);
    expect(world.records[1]?.ledger[0]).toMatchObject({ status: 'failed', changes: [] });
    expect(world.records[1]?.messages[0]?.content).toContain('the line is dead');
    expect(world.records[1]?.events[0]?.type).toBe('tool.error');
  });

  test('does not happen when its intent cannot be stored', async () => {
    const world = openToolWorld();
    const commit = () => Promise.reject(new Error('not the owner'));
    await expect(world.run([call('a', 'send')], { commit })).rejects.toThrow('not the owner');
    expect(world.log).toEqual([]);
  });

  test('that was begun before a crash is in doubt and is not repeated', async () => {
    const world = openToolWorld();
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
    const world = openToolWorld();
    await world.run([pending]);
    expect(world.records).toHaveLength(1);
    expect(world.records[0]?.ledger).toEqual([]);
    expect(world.records[0]?.messages[0]?.content).toContain(text);
    expect(world.records[0]?.events.map(({ type }) => type)).toEqual(['tool.call', 'tool.error']);
  });

  test('is refused in the same way among reads that run at once', async () => {
    const world = openToolWorld();
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
    const world = openToolWorld();
    await world.run([call('a', 'put'), call('b', 'put')], {
      boundary: () => world.records.length > 0,
    });
    expect(world.log).toEqual(['put a begins', 'put a ends', 'commit k/a=done 1 messages']);
  });

  test('that throws ends the run at once', async () => {
    const world = openToolWorld();
    const boundary = () => {
      throw new Error('give back');
    };
    await expect(world.run([call('a', 'put')], { boundary })).rejects.toThrow('give back');
    expect(world.log).toEqual([]);
  });

  test('a read that was cut short leaves nothing: whoever goes on reads again', async () => {
    const world = openToolWorld();
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
  const world = openToolWorld();
  await world.run([call('😀'.repeat(400), 'put')]);
  for (const { data } of world.records[0]?.events ?? []) {
    const shown = String(data.text ?? data.arguments);
    expect(shown.isWellFormed()).toBe(true);
    expect(shown.length).toBeLessThanOrEqual(500);
  }
});

test('the last record of a batch says so, and each says what was spent', async () => {
  const world = openToolWorld();
  const calls = [call('a', 'read'), call('b', 'send'), call('c', 'put', { nam: 1 })];
  expect(await world.run(calls)).toEqual({ kind: 'done' });
  expect(
    world.records.map(({ last, spent: { tool_calls, mutating_tool_calls }, actions }) => ({
      last,
      spent: [tool_calls, mutating_tool_calls],
      actions,
    })),
  ).toEqual([
    { last: false, spent: [1, 0], actions: ['read'] },
    // The intent of b, then its end.
    { last: false, spent: [0, 0], actions: [] },
    { last: false, spent: [1, 1], actions: ['send'] },
    // Never made, but asked for in vain: a call without a deed.
    { last: true, spent: [1, 0], actions: [] },
  ]);
});

test('an intent never ends a batch: its call is still to be made', async () => {
  const world = openToolWorld();
  await world.run([call('a', 'put'), call('b', 'send')]);
  expect(world.records.map(({ last }) => last)).toEqual([false, false, true]);
});

test('a boundary that says stop is told apart from the end of the batch', async () => {
  const world = openToolWorld();
  expect(await world.run([call('a', 'put')], { boundary: () => true })).toEqual({
    kind: 'stopped',
  });
  expect(world.records).toEqual([]);
});
