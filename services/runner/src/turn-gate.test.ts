import type { TurnApproval } from '@loom/db/turn-approvals';
import type { ToolDefinition } from '@loom/shared/tool';
import { createToolRegistry } from '@loom/tools/registry';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { PendingCall } from './pending-calls.ts';
import { createTurnGate } from './turn-gate.ts';

const tool = (name: string, effect: ToolDefinition['effect']): ToolDefinition => ({
  name,
  description: name,
  effect,
  timeout_ms: 1_000,
  input: z.strictObject({ what: z.string() }),
  unavailable: () => null,
  run: async () => ({ text: '' }),
});
const tools = createToolRegistry([tool('look', 'read'), tool('send', 'effectful')], {
  max_output_chars: 1_000,
});

const pending = (key: string, name: string, args: PendingCall['call']['arguments']) => ({
  key,
  call: { id: key, name, arguments: args },
});
const send = (key: string) => pending(key, 'send', { what: key });
const look = (key: string) => pending(key, 'look', { what: key });

const approval = (
  call_key: string,
  status: TurnApproval['status'],
  more: Partial<TurnApproval> = {},
): TurnApproval => ({
  id: `apr_${call_key}`,
  call_key,
  status,
  decided_arguments: null,
  decision_reason: null,
  overdue: false,
  ...more,
});

const gateOf = (approvals: TurnApproval[] = [], granted_tools: string[] = []) =>
  createTurnGate({
    brief: { approval_mode: 'manual', granted_tools },
    approvals,
    on_timeout: 'deny',
    tools,
    openIntents: new Set(['begun']),
  });

const keysAsked = (calls: PendingCall[], approvals?: TurnApproval[], granted?: string[]) =>
  gateOf(approvals, granted)
    .questionsFor(calls)
    .map(({ call_key }) => call_key);

test('asks about every call that needs it, with what it is about', () => {
  const [question] = gateOf().questionsFor([look('a'), send('b')]);
  expect(question).toMatchObject({ call_key: 'b', tool: 'send', arguments: { what: 'b' } });
  expect(question?.id).toMatch(/^apr_/);
  expect(question?.reason).toContain('send');
  const delegation = pending('d', 'delegate_task', { goal: 'g' });
  expect(keysAsked([send('a'), look('b'), send('c'), delegation])).toEqual(['a', 'c', 'd']);
});

test('asks nothing twice, and nothing that will not be done anyway', () => {
  expect(keysAsked([send('a'), send('b')], [approval('a', 'pending')])).toEqual(['b']);
  expect(keysAsked([send('a')], [approval('a', 'denied')])).toEqual([]);
  const pointless = [
    send('begun'),
    pending('x', 'send', { wrong: true }),
    pending('y', 'no_such_tool', { what: 'y' }),
    pending('z', 'delegate_task', {}),
    pending('q', 'ask_user', { question: 'which?' }),
  ];
  expect(keysAsked(pointless)).toEqual([]);
});

test('what was granted is not asked about; a question that was put is still waited for', () => {
  expect(keysAsked([send('a')], [], ['send'])).toEqual([]);
  const gate = gateOf([approval('a', 'pending')], ['send']);
  expect(gate.open).toBe(1);
  expect(gate.check(send('a'), 'effectful')).toMatchObject({ kind: 'ask' });
  expect(gate.check(send('b'), 'effectful')).toMatchObject({ kind: 'run' });
});

test('wants what can be done now: up to the first call that waits, without what was refused', () => {
  const wants = (tool_calls: number, mutating_tool_calls: number) => ({
    model_calls: 0,
    tool_calls,
    mutating_tool_calls,
  });
  expect(gateOf().wantsFor([look('a'), send('b'), look('c')])).toEqual(wants(1, 0));
  const decided = [approval('a', 'approved'), approval('b', 'denied')];
  expect(gateOf(decided).wantsFor([send('a'), send('b'), look('c')])).toEqual(wants(2, 1));
  expect(gateOf([], ['send']).wantsFor([send('a'), send('b')])).toEqual(wants(2, 2));
});
