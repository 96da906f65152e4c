import type { StoredApproval } from '@loom/db/stored-approval';
import type { JsonObject } from '@loom/shared/json';
import { expect, test } from 'vitest';
import { createCallGate } from './call-gate.ts';
import type { PendingCall } from './pending-calls.ts';

type Rules = Parameters<typeof createCallGate>[0];

const rules: Rules = { mode: 'manual', on_timeout: 'deny', allowed_tools: [], approvals: [] };
const write: PendingCall = {
  call: { id: '1', name: 'write_file', arguments: { path: 'a.md', content: 'x' } },
  key: 'k/0/0',
};
const wipe: PendingCall = {
  call: { id: '1', name: 'shell_execute', arguments: { command: 'rm -rf build' } },
  key: 'k/0/0',
};
const said = (
  status: StoredApproval['status'],
  edited: JsonObject | null = null,
  reason: string | null = null,
): StoredApproval => ({
  call_key: 'k/0/0',
  status,
  decided_arguments: edited,
  decision_reason: reason,
});
const run = { kind: 'run', edited: null };

test('the policy decides about a call that nobody was asked about', () => {
  expect(createCallGate(rules)(write, 'idempotent')).toMatchObject({ kind: 'ask', always: false });
  expect(createCallGate(rules)(write, 'read')).toEqual(run);
  expect(createCallGate({ ...rules, mode: 'auto' })(write, 'idempotent')).toEqual(run);
  const freed = { ...rules, allowed_tools: ['write_file', 'shell_execute'] };
  expect(createCallGate(freed)(write, 'idempotent')).toEqual(run);
  // What is always gated asks in every mode, and whoever freed the tool did not mean this.
  for (const mode of ['manual', 'auto', 'confidence_threshold', 'disabled'] as const) {
    expect(createCallGate({ ...freed, mode })(wipe, 'effectful')).toMatchObject({
      kind: 'ask',
      always: true,
    });
  }
});

test('what a person said holds, for this very call', () => {
  const gate = (approval: StoredApproval) => createCallGate({ ...rules, approvals: [approval] });
  expect(gate(said('approved'))(wipe, 'effectful')).toEqual(run);
  expect(gate(said('approved', { path: 'b.md' }))(write, 'idempotent')).toEqual({
    kind: 'run',
    edited: { path: 'b.md' },
  });
  expect(gate(said('denied', null, 'too late'))(write, 'idempotent')).toEqual({
    kind: 'answer',
    code: 'denied',
    text: 'The user refused this call: too late',
  });
  expect(gate(said('denied', null, '  '))(write, 'idempotent')).toMatchObject({
    text: 'The user refused this call: no reason was given.',
  });
  const other = { ...said('approved'), call_key: 'k/2/0' };
  expect(gate(other)(write, 'idempotent').kind).toBe('ask');
  expect(gate(said('pending'))(write, 'idempotent').kind).toBe('ask');
});

test('a question that ran out acts as the policy says', () => {
  const approvals = [said('expired')];
  expect(createCallGate({ ...rules, approvals })(write, 'idempotent')).toEqual({
    kind: 'answer',
    code: 'expired',
    text: 'Nobody answered in time, so this call was not made.',
  });
  const gate = createCallGate({ ...rules, approvals, on_timeout: 'approve' });
  expect(gate(write, 'idempotent')).toEqual(run);
});

test('of two answers about one call the later one holds', () => {
  const approvals = [said('expired'), said('approved')];
  expect(createCallGate({ ...rules, approvals })(write, 'idempotent')).toEqual(run);
});
