import { expect, it } from 'vitest';
import { plainAnswer } from './plain-answer.ts';

it.each([
  ['yes', 'approve'],
  ['Y', 'approve'],
  ['ja!', 'approve'],
  [' OK.\n', 'approve'],
  ['Go ahead', 'approve'],
  ['approve', 'approve'],
  ['deny', 'deny'],
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
