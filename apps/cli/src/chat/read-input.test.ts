import { expect, it } from 'vitest';
import { readInput } from './read-input.ts';

it.each([
  ['  ', { kind: 'nothing' }],
  [' hello ', { kind: 'message', content: 'hello' }],
  ['//etc/hosts is wrong', { kind: 'message', content: '/etc/hosts is wrong' }],
  ['a /stop', { kind: 'message', content: 'a /stop' }],
  ['/Stop', { kind: 'command', name: 'stop', rest: '' }],
  ['/steer task_1  go  left ', { kind: 'command', name: 'steer', rest: 'task_1  go  left' }],
  ['/', { kind: 'command', name: '', rest: '' }],
])('reads %j', (line, input) => {
  expect(readInput(line)).toEqual(input);
});
