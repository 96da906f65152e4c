import { expect, test } from 'vitest';
import { checkParkingCall } from './check-parking-call.ts';

const call = (name: string, args: Parameters<typeof checkParkingCall>[0]['arguments']) =>
  checkParkingCall({ id: 'c1', name, arguments: args });

test('a question can be asked', () => {
  expect(call('ask_user', { question: 'Which one?', options: ['a', 'b'] })).toEqual({
    kind: 'ask_user',
  });
});

test('a delegation waits unless it says otherwise', () => {
  expect(call('delegate_task', { goal: 'write a.md' })).toEqual({
    kind: 'delegate_task',
    input: { goal: 'write a.md', wait: true },
  });
  expect(
    call('delegate_task', { goal: 'write a.md', wait: false, context: { tone: 'dry' } }),
  ).toEqual({
    kind: 'delegate_task',
    input: { goal: 'write a.md', wait: false, context: { tone: 'dry' } },
  });
});

test.each([
  ['ask_user', {}, 'question'],
  ['ask_user', 'Which one?', 'not a JSON object'],
  ['delegate_task', {}, 'goal'],
  ['delegate_task', { goal: '' }, 'goal'],
  ['delegate_task', { goal: 'x', wait: 'yes' }, 'wait'],
  ['delegate_task', { goal: 'x', deadline: 1 }, 'deadline'],
  ['delegate_task', { goal: 'x', process: 'research' }, 'without "process"'],
])('%s with %j is answered with how to correct it', (name, args, hint) => {
  const checked = call(name, args);
  expect(checked.kind).toBe('invalid');
  expect(checked).toHaveProperty('text', expect.stringContaining(hint));
});
