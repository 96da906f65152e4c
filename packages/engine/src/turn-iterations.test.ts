import { expect, test } from 'vitest';
import { turnIterationLimit } from './turn-iterations.ts';

test('a turn without todos has its own calls and no more', () => {
  expect(turnIterationLimit({ base: 40, open: 0, done: 0 })).toBe(40);
});

test('while todos remain it gets fifty more, however many they are', () => {
  expect(turnIterationLimit({ base: 40, open: 1, done: 0 })).toBe(90);
  expect(turnIterationLimit({ base: 40, open: 50, done: 150 })).toBe(90);
});

test('closing the last todo does not take away the calls for the answer', () => {
  expect(turnIterationLimit({ base: 40, open: 0, done: 3 })).toBe(90);
});
