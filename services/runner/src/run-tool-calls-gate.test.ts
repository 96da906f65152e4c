import { expect, test } from 'vitest';
import type { GateResult } from './call-gate.ts';
import type { PendingCall } from './pending-calls.ts';
import { call, openToolWorld } from './test-support/tool-world.ts';

/** Says this of these calls, and lets every other one run. */
const gateFor =
  (results: Record<string, GateResult>) =>
  ({ call: { id } }: PendingCall): GateResult =>
    results[id] ?? { kind: 'run', edited: null };
const ask: GateResult = { kind: 'ask', reason: 'it deletes', always: true };

test('a gate that asks ends the batch there: what came before is kept, what comes after waits', async () => {
  const world = openToolWorld();
  const calls = [call('a', 'put'), call('b', 'send'), call('c', 'put')];
  const outcome = await world.run(calls, { gate: gateFor({ b: ask }) });
  expect(outcome).toEqual({ kind: 'ask', pending: calls[1], reason: 'it deletes', always: true });
  expect(world.log).toEqual(['put a begins', 'put a ends', 'commit k/a=done 1 messages']);
  expect(world.records[0]?.last).toBe(false);
});

test('a gate that asks about one read lets its neighbours run', async () => {
  const world = openToolWorld(2);
  const calls = [call('a', 'read'), call('b', 'read'), call('c', 'read')];
  const outcome = await world.run(calls, { gate: gateFor({ b: ask }) });
  expect(outcome).toMatchObject({ kind: 'ask', pending: { key: 'k/b' } });
  expect(world.records.map(({ messages }) => messages.map((one) => one.tool_call_id))).toEqual([
    ['a', 'c'],
  ]);
  expect(world.records[0]?.last).toBe(false);
});

test('a gate that asks about every read of a group commits nothing', async () => {
  const world = openToolWorld();
  const gate = gateFor({ a: ask, b: ask });
  const outcome = await world.run([call('a', 'read'), call('b', 'read')], { gate });
  expect(outcome).toMatchObject({ kind: 'ask', pending: { key: 'k/a' } });
  expect(world.log).toEqual([]);
});

test.each(['denied', 'expired'] as const)(
  'a gate that answers (%s) makes no call, costs nothing and goes on',
  async (code) => {
    const world = openToolWorld();
    const gate = gateFor({ a: { kind: 'answer', code, text: 'No, not this one.' } });
    expect(await world.run([call('a', 'send'), call('b', 'put')], { gate })).toEqual({
      kind: 'done',
    });
    expect(world.log).toEqual([
      'commit 1 messages',
      'put b begins',
      'put b ends',
      'commit k/b=done 1 messages',
    ]);
    const [answered] = world.records;
    expect(answered?.messages[0]?.content).toBe('No, not this one.');
    expect(answered?.spent).toMatchObject({ tool_calls: 0, mutating_tool_calls: 0 });
    expect(answered?.actions).toEqual([]);
    expect(answered?.events).toEqual([
      {
        type: 'tool.error',
        data: {
          tool: 'send',
          call_id: 'a',
          key: 'k/a',
          files_changed: [],
          code,
          text: 'No, not this one.',
        },
      },
    ]);
  },
);

test('a gate with other arguments runs these, and says so in result, ledger and event', async () => {
  const world = openToolWorld();
  const gate = gateFor({ a: { kind: 'run', edited: { name: 'safer' } } });
  await world.run([call('a', 'send')], { gate });
  expect(world.log).toContain('send safer begins');
  expect(world.records.flatMap(({ ledger }) => ledger.map((line) => line.arguments))).toEqual([
    { name: 'safer' },
    { name: 'safer' },
  ]);
  expect(world.records[0]?.events[0]?.data).toMatchObject({
    arguments: '{"name":"safer"}',
    edited: true,
  });
  expect(world.records[1]?.messages[0]?.content).toBe(
    'The user changed the arguments of this call. It was made with: {"name":"safer"}\nsafer by k/a',
  );
});

test('a gate with arguments that the tool cannot take makes no call', async () => {
  const world = openToolWorld();
  const gate = gateFor({ a: { kind: 'run', edited: { nam: 'x' } } });
  await world.run([call('a', 'send')], { gate });
  expect(world.log).toEqual(['commit 1 messages']);
  expect(world.records[0]?.messages[0]?.content).toMatch(
    /^The user changed the arguments .* not made\. The arguments of send are invalid/,
  );
});

test('a gate is not asked about calls that cannot run anyway, nor about one that is in doubt', async () => {
  const world = openToolWorld();
  const gate = () => {
    throw new Error('asked');
  };
  const calls = [call('a', 'send', {}), call('b', 'destroy'), call('c', 'send')];
  await world.run(calls, { gate, openIntents: new Set(['k/c']) });
  expect(world.records).toHaveLength(3);
});

test('a gate learns what the call would do', async () => {
  const world = openToolWorld();
  const seen: string[] = [];
  await world.run([call('a', 'read'), call('b', 'put'), call('c', 'send')], {
    gate: ({ key }, effect) => {
      seen.push(`${key} ${effect}`);
      return { kind: 'run', edited: null };
    },
  });
  expect(seen).toEqual(['k/a read', 'k/b idempotent', 'k/c effectful']);
});
