import { expect, test } from 'vitest';
import { isDowngrade, redirectTarget } from './redirect-target.ts';

const from = new URL('https://example.com/a/b?c#d');

test.each([
  [301, '/x', 'https://example.com/x#d'],
  [302, 'x', 'https://example.com/a/x#d'],
  [303, '?y', 'https://example.com/a/b?y#d'],
  [307, '//other.example/#e', 'https://other.example/#e'],
  [308, 'http://other.example', 'http://other.example/#d'],
])('%i with %j leads on', (status, location, href) => {
  expect(redirectTarget(from, { status, location })?.href).toBe(href);
});

test.each([
  [200, '/x'],
  [304, '/x'],
  [300, '/x'],
  [302, ''],
  [302, null],
  [302, undefined],
  [302, 'http://'],
])('%i with %j leads nowhere', (status, location) => {
  expect(redirectTarget(from, { status, location })).toBeNull();
});

test('only the way from encryption to none is a downgrade', () => {
  const plain = new URL('http://example.com/');
  expect(isDowngrade(from, plain)).toBe(true);
  expect(isDowngrade(from, from)).toBe(false);
  expect(isDowngrade(plain, from)).toBe(false);
  expect(isDowngrade(plain, plain)).toBe(false);
});
