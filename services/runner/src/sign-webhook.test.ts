import { expect, test } from 'vitest';
import { signWebhook } from './sign-webhook.ts';

const call = {
  delivery_id: 'dlv_1',
  event: 'task.completed',
  body: '{"id":"dlv_1"}',
  secret: 'whsec_test',
  now: new Date('2026-11-16T12:00:00.900Z'),
};

test('the signature is the HMAC of time and body, as any other program computes it', () => {
  // printf '1794830400.{"id":"dlv_1"}' | openssl dgst -sha256 -hmac whsec_test
  expect(signWebhook(call)).toEqual({
    'content-type': 'application/json',
    'user-agent': 'loom-webhooks',
    'loom-delivery': 'dlv_1',
    'loom-event': 'task.completed',
    'loom-timestamp': '1794830400',
    'loom-signature': 'v1=a73831fb884412649b645f85e56ca93700b29b349566d1ff53d0c697fb262d21',
  });
});

test('another body, time or secret gives another signature', () => {
  const signatures = [
    call,
    { ...call, body: '{"id":"dlv_2"}' },
    { ...call, now: new Date('2026-11-16T12:00:01Z') },
    { ...call, secret: 'whsec_other' },
  ].map((one) => signWebhook(one)['loom-signature']);
  expect(new Set(signatures).size).toBe(4);
});
