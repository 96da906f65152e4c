import type { GuardedAnswer } from '@loom/tools/net/guarded-request';
import { expect, test } from 'vitest';
import { judgeWebhookAnswer } from './judge-webhook-answer.ts';

const settings = {
  max_attempts: 4,
  base_delay_seconds: 2,
  max_delay_seconds: 60,
  timeout_seconds: 10,
  allow_private_networks: false,
};
const now = new Date('2026-11-16T12:00:00Z');

function answered(status: number, headers: Record<string, string> = {}, body = ''): GuardedAnswer {
  return { outcome: 'answered', status, headers, body: Buffer.from(body), complete: true };
}
const judge = (answer: GuardedAnswer, number = 1) =>
  judgeWebhookAnswer(answer, number, settings, now);

test.each([200, 201, 202, 204, 299])('%d is delivered', (status) => {
  const judgement = { status, error: null, next: { kind: 'delivered' } };
  expect(judge(answered(status, {}, 'thanks'))).toEqual(judgement);
  expect(judge(answered(status), 4)).toEqual(judgement);
});

test.each([301, 302, 304, 307, 308, 400, 401, 404, 408, 429, 500, 503, 599, 999])(
  '%d is tried again, until the attempts are used up',
  (status) => {
    expect(judge(answered(status), 3)).toMatchObject({ status, next: { kind: 'retry' } });
    expect(judge(answered(status), 4)).toMatchObject({ status, next: { kind: 'failed' } });
  },
);

test('410 ends it at once', () => {
  expect(judge(answered(410))).toEqual({
    status: 410,
    error: 'answered 410, which ends the delivery',
    next: { kind: 'failed' },
  });
});

test('a failure of the network is tried again', () => {
  const failed = { outcome: 'failed', reason: 'connect ECONNREFUSED' } as const;
  const error = { status: null, error: 'connect ECONNREFUSED' };
  expect(judge(failed, 2)).toEqual({ ...error, next: { kind: 'retry', seconds: 4 } });
  expect(judge(failed, 4)).toEqual({ ...error, next: { kind: 'failed' } });
});

test('delays double up to the cap', () => {
  const delays = [1, 2, 3].map((number) => judge(answered(500), number).next);
  expect(delays).toEqual([2, 4, 8].map((seconds) => ({ kind: 'retry', seconds })));
  const long = { ...settings, max_attempts: 2_000 };
  for (const number of [6, 7, 1_500]) {
    const { next } = judgeWebhookAnswer(answered(500), number, long, now);
    expect(next).toEqual({ kind: 'retry', seconds: 60 });
  }
});

test.each([
  ['30', 30],
  [' 30 ', 30],
  ['1', 2],
  ['0', 2],
  ['86400', 60],
  ['Mon, 16 Nov 2026 12:00:20 GMT', 20],
  ['Monday, 16-Nov-26 12:00:20 GMT', 20],
  ['Mon, 16 Nov 2026 11:00:00 GMT', 2],
  ['Mon, 16 Nov 2099 12:00:00 GMT', 60],
  ['-5', 2],
  ['1e9', 2],
  ['soon', 2],
  ['', 2],
])('a Retry-After of %j means %d seconds', (header, seconds) => {
  expect(judge(answered(503, { 'retry-after': header })).next).toEqual({ kind: 'retry', seconds });
});

test('a failure says what was answered, in one short line that can be stored', () => {
  expect(judge(answered(302)).error).toBe('answered 302; redirects are not followed');
  expect(judge(answered(500, {}, ' no\n\n luck ')).error).toBe('answered 500: no luck');
  const noise = judge(answered(500, {}, `\u0000${'x'.repeat(4_000)}`)).error ?? '';
  expect(noise).toMatch(/^answered 500: \uFFFDx+$/);
  expect(noise.length).toBe('answered 500: '.length + 300);
  const halves = judge(answered(500, {}, '😀'.repeat(200))).error ?? '';
  expect(halves.isWellFormed()).toBe(true);
});
