import { expect, it } from 'vitest';
import { plainAnswer } from './plain-answer.ts';
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

it.each([
  ['yes', 'approve'],
  ['Y', 'approve'],
  ['ja!', 'approve'],
  ['OK.', 'approve'],
  ['no', 'deny'],
  ['n', 'deny'],
  ['Nein', 'deny'],
  ['yes, but only once', null],
  ['nothing', null],
  ['constructor', null],
  ['', null],
])('takes %j for %s', (text, decision) => {
  expect(plainAnswer(text)).toBe(decision);
});
