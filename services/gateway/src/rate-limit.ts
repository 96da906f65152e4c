import { AppError } from '@loom/shared/app-error';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Counts one request of a key or an address, and refuses it beyond the limit. */
export type CountRequest = (who: string) => Promise<void>;

/** Counts in this process's memory: N gateways let N times as much through. */
export function createRateLimit(perMinute: number): CountRequest {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return async (who) => {
    try {
      await limiter.consume(who);
    } catch (reason) {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      throw new AppError(
        'rate_limited',
        `More than ${perMinute} requests in a minute. Wait as long as Retry-After says.`,
        { details: { retry_after_seconds: Math.max(1, Math.ceil(reason.msBeforeNext / 1_000)) } },
      );
    }
  };
}
