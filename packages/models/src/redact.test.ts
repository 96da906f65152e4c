import { expect, it } from 'vitest';
import { redact } from './redact.ts';

it('removes the secret and whatever looks like a key', () => {
  expect(redact('wrong key hunter2!', 'hunter2!')).toBe('wrong key [redacted]');
  expect(redact('Incorrect API key provided: sk-abc***************xyz.', undefined)).not.toContain(
    'abc',
  );
  expect(redact('got Bearer abcdef123456', undefined)).toBe('got [redacted]');
  expect(redact('the key is missing', '')).toBe('the key is missing');
});
