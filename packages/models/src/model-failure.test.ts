import { AppError } from '@loom/shared/app-error';
import { describe, expect, it } from 'vitest';
import { toModelFailure } from './model-failure.ts';
import { StreamFailure } from './stream-failure.ts';

function apiError(fields: object) {
  return Object.assign(new Error('from the SDK'), { name: 'AI_APICallError' }, fields);
}

describe('toModelFailure', () => {
  it.each([
    [429, 'rate_limited'],
    [408, 'unavailable'],
    [409, 'unavailable'],
    [425, 'unavailable'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [529, 'unavailable'],
    [400, 'rejected'],
    [401, 'rejected'],
    [404, 'rejected'],
    [302, 'rejected'],
    [200, 'bad_reply'],
  ])('status %i is %s', (statusCode, kind) => {
    expect(toModelFailure(apiError({ statusCode }), 0)).toMatchObject({ kind });
  });

  it('takes the message from the body and the pause from the headers', () => {
    const error = apiError({
      statusCode: 429,
      responseBody: '{"error":{"message":"slow down"}}',
      responseHeaders: { 'retry-after': '3' },
    });
    expect(toModelFailure(error, 0)).toMatchObject({ message: 'slow down', retry_after_ms: 3_000 });
  });

  it('does not wait for an empty account to fill', () => {
    const error = apiError({
      statusCode: 429,
      responseBody: '{"error":{"code":"insufficient_quota"}}',
    });
    expect(toModelFailure(error, 0)?.kind).toBe('rejected');
  });

  it('sees a broken connection behind a good status', () => {
    const cause = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    expect(toModelFailure(apiError({ statusCode: 200, cause }), 0)).toMatchObject({
      kind: 'unavailable',
      message: 'aborted',
    });
  });

  it('gives failures inside a stream the class they would have had before it', () => {
    const overloaded = StreamFailure.from({ type: 'overloaded_error', message: 'busy' });
    expect(toModelFailure(overloaded, 0)).toMatchObject({ kind: 'unavailable', message: 'busy' });
    expect(toModelFailure(StreamFailure.from({ message: 'x', code: 429 }), 0)?.kind).toBe(
      'rate_limited',
    );
    expect(toModelFailure(StreamFailure.from({ type: 'authentication_error' }), 0)?.kind).toBe(
      'rejected',
    );
    expect(toModelFailure(StreamFailure.from('odd'), 0)).toMatchObject({
      kind: 'unavailable',
      message: 'odd',
    });
  });

  it('leaves defects alone', () => {
    expect(toModelFailure(new TypeError('x is not a function'), 0)).toBeNull();
    expect(toModelFailure(new AppError('lost_ownership', 'gone'), 0)).toBeNull();
  });
});
