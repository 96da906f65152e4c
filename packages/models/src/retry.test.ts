import { describe, expect, it } from 'vitest';
import { nextDelay } from './retry.ts';

const policy = { max_attempts: 4, base_delay_ms: 500, max_delay_ms: 3_000, jitter_ms: 100 };
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
});
