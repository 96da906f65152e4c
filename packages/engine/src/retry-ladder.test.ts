import { describe, expect, it } from 'vitest';
import { hasRetryLeft, tierForAttempt } from './retry-ladder.ts';
import { subtaskOf } from './test-support/task-fixtures.ts';

describe('tierForAttempt', () => {
  it.each([
    [1, [1, 1, 2, 3, 3]],
    [2, [2, 2, 3, 3, 3]],
    [3, [3, 3, 3, 3, 3]],
  ])('climbs from tier %i: same, same, one higher, highest', (planned, tiers) => {
    expect(tiers.map((_, index) => tierForAttempt(planned, index))).toEqual(tiers);
  });
});

describe('hasRetryLeft', () => {
  it.each([
    [0, 1],
    [3, 4],
  ])('max_retries %i means up to %i attempts', (max_retries, most) => {
    const after = (attempts: number) => hasRetryLeft(subtaskOf('a', { attempts }, { max_retries }));
    expect(after(most - 1)).toBe(true);
    expect(after(most)).toBe(false);
  });

  it('counts from the last manual retry', () => {
    const spec = { max_retries: 1 };
    expect(hasRetryLeft(subtaskOf('a', { attempts: 3, attempts_forgiven: 2 }, spec))).toBe(true);
    expect(hasRetryLeft(subtaskOf('a', { attempts: 4, attempts_forgiven: 2 }, spec))).toBe(false);
  });
});
