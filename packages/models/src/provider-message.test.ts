import { expect, it } from 'vitest';
import { providerMessage } from './provider-message.ts';

it.each([
  ['{"error":{"message":"no such model"}}', 'no such model'],
  ['{"error":"no such model"}', 'no such model'],
  ['{"detail":"bad  request"}', 'bad request'],
  ['{"type":"error","error":{"type":"x","message":"nested"}}', 'nested'],
  ['plain words\n', 'plain words'],
  ['<html><body>502</body></html>', ''],
  ['', ''],
])('%j → %j', (body, message) => {
  expect(providerMessage(body)).toBe(message);
});

it('is bounded', () => {
  expect(providerMessage('x'.repeat(10_000))).toHaveLength(500);
});
