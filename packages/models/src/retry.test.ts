import { describe, expect, it } from 'vitest';
import { nextDelay } from './retry.ts';

const policy = {
  max_attempts: 4,
  base_delay_ms: 500,
  max_delay_ms: 3_000,
  jitter_ms: 100,
  park_after_ms: 60_000,
};
const half = () => 0.5;

describe('nextDelay', () => {
  it('doubles up to the maximum, with jitter', () => {
    const delays = [1, 2, 3].map((n) => nextDelay(policy, n, { kind: 'unavailable' }, half));
    expect(delays).toEqual([550, 1_050, 2_050]);
    expect(nextDelay({ ...policy, max_attempts: 9 }, 8, { kind: 'unavailable' }, half)).toBe(3_000);
  });

  it('ends after the last attempt and at once for a rejection', () => {
    expect(nextDelay(policy, 4, { kind: 'unavailable' }, half)).toBeNull();
    expect(nextDelay(policy, 1, { kind: 'rejected' }, half)).toBeNull();
  });

  it('waits as long as the server asks, never less', () => {
    const asked = (ms: number) => ({ kind: 'rate_limited' as const, retry_after_ms: ms });
    expect(nextDelay(policy, 1, asked(2_500), half)).toBe(2_550);
    expect(nextDelay(policy, 1, asked(3_000), half)).toBe(3_050);
    expect(nextDelay(policy, 1, asked(3_001), half)).toBeNull();
  });

  it('leaves a wait to the caller that is longer than it may hold a worker', () => {
    const parking = { ...policy, max_attempts: 9, park_after_ms: 1_000 };
    const delays = [1, 2, 3].map((n) => nextDelay(parking, n, { kind: 'unavailable' }, half));
    expect(delays).toEqual([550, 1_050, null]);
    const asked = (ms: number) => ({ kind: 'rate_limited' as const, retry_after_ms: ms });
    expect(nextDelay(parking, 1, asked(1_000), half)).toBe(1_050);
    expect(nextDelay(parking, 1, asked(1_001), half)).toBeNull();
    expect(nextDelay({ ...parking, park_after_ms: 0 }, 1, asked(0), half)).toBe(50);
  });

  it('waits in place for an answer that could not be read', () => {
    const parking = { ...policy, park_after_ms: 0 };
    expect(nextDelay(parking, 1, { kind: 'bad_reply' }, half)).toBe(550);
  });
});
