import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

test('gives as many places as there are, each queue its own', () => {
  const slots = createSlots({ turns: 2, plans: 1 });
  expect([slots.tryTake('turns'), slots.tryTake('turns'), slots.tryTake('turns')]).toEqual([
    true,
    true,
    false,
  ]);
  expect(slots.tryTake('plans')).toBe(true);
  expect(slots.tryTake('subtasks')).toBe(false);
  expect([slots.active('turns'), slots.active('plans'), slots.active('subtasks')]).toEqual([
    2, 1, 0,
  ]);
  expect([slots.capacity('turns'), slots.capacity('subtasks')]).toEqual([2, 0]);
  slots.give('turns');
  expect(slots.active('turns')).toBe(1);
  expect(slots.tryTake('turns')).toBe(true);
});

test('a place that becomes free passes to the job that has waited longest', async () => {
  const slots = createSlots({ turns: 1 });
  const order: string[] = [];
  await slots.take('turns');
  const first = slots.take('turns').then(() => order.push('first'));
  const second = slots.take('turns').then(() => order.push('second'));
  slots.give('turns');
  await first;
  expect(order).toEqual(['first']);
  expect(slots.active('turns')).toBe(1);
  slots.give('turns');
  await second;
  slots.give('turns');
  expect(slots.active('turns')).toBe(0);
});

test('work that follows on here does not overtake a job that waits', async () => {
  const slots = createSlots({ turns: 1 });
  await slots.take('turns');
  const waiting = slots.take('turns');
  slots.give('turns');
  expect(slots.tryTake('turns')).toBe(false);
  await waiting;
  slots.give('turns');
  expect(slots.tryTake('turns')).toBe(true);
});
