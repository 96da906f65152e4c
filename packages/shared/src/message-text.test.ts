import { expect, test } from 'vitest';
import { maxMessageBytes, messageTextSchema } from './message-text.ts';

const complaints = (text: string) =>
  messageTextSchema.safeParse(text).error?.issues.map(({ message }) => message) ?? [];

const euros = Math.floor(maxMessageBytes / 3);

test.each([
  ['as many letters as bytes', 'x'.repeat(maxMessageBytes)],
  ['as many of three bytes as fit', `${'€'.repeat(euros)}${'x'.repeat(maxMessageBytes % 3)}`],
  ['as many of four bytes as fit', '😀'.repeat(maxMessageBytes / 4)],
  ['one blank', ' '],
])('takes %s', (_, text) => {
  expect(complaints(text)).toEqual([]);
});

test.each([
  ['one letter more', 'x'.repeat(maxMessageBytes + 1)],
  ['fewer letters of more bytes', '€'.repeat(euros + 1)],
  ['one byte more after pairs', `${'😀'.repeat(maxMessageBytes / 4)}x`],
])('refuses %s, once, with the limit', (_, text) => {
  expect(complaints(text)).toEqual([expect.stringContaining('at most 5242880 bytes')]);
});

test.each([
  ['', 'must not be empty'],
  ['a\u0000b', 'NUL'],
  ['\uD83D', 'surrogates'],
  ['\uDE00\uD83D', 'surrogates'],
])('refuses %j', (text, reason) => {
  expect(complaints(text)).toEqual([expect.stringContaining(reason)]);
});
