import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createProgress } from './call-progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a quick call says nothing', async () => {
  const told: string[] = [];
  const progress = createProgress(async (text) => void told.push(text));
  progress.add('done at once');
  await progress.end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toEqual([]);
});

test('what comes in between is told together, ever more rarely, and only when there is something', async () => {
  const told: [number, string][] = [];
  const start = Date.now();
  const progress = createProgress(async (text) => void told.push([Date.now() - start, text]));
  progress.add('a');
  await vi.advanceTimersByTimeAsync(999);
  expect(told).toEqual([]);
  progress.add('b');
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toEqual([[1_000, 'ab']]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(told).toHaveLength(1);
  for (const waited of [2_000, 4_000, 8_000, 10_000, 10_000]) {
    progress.add('c');
    const before = told.length;
    await vi.advanceTimersByTimeAsync(waited - 1);
    expect(told).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toHaveLength(before + 1);
  }
  await progress.end();
});

test('only the newest output is shown', async () => {
  const told: string[] = [];
  const progress = createProgress(async (text) => void told.push(text));
  progress.add('x'.repeat(3_000));
  progress.add('end');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told).toEqual([`${'x'.repeat(1_997)}end`]);
  await progress.end();
});

test('one telling at a time; the end waits for it and hears of its failure', async () => {
  let fail: (error: Error) => void = () => undefined;
  let tellings = 0;
  const progress = createProgress(() => {
    tellings += 1;
    return new Promise<void>((_resolve, reject) => {
      fail = reject;
    });
  });
  progress.add('a');
  await vi.advanceTimersByTimeAsync(1_000);
  progress.add('b');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tellings).toBe(1);
  const ended = progress.end();
  fail(new Error('not the owner any more'));
  await expect(ended).rejects.toThrow('not the owner any more');
});
