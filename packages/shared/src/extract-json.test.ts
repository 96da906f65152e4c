import { expect, test } from 'vitest';
import { extractJson } from './extract-json.ts';

const any = (value: unknown) => value;

test.each([
  ['bare', '{"a":1}', { a: 1 }],
  [
    'fenced, with prose around',
    'Here:\n```json\n{ "a": [1, {"b": "}"}] }\n```\nDone.',
    { a: [1, { b: '}' }] },
  ],
  ['behind braces that are no JSON', 'use {curly} and {{x}} like {"a":1}', { a: 1 }],
  ['behind an object that never ends', '{"open": [1, 2  {"a":1}', { a: 1 }],
  ['with escaped quotes', '{"a":"\\"}{"}', { a: '"}{' }],
  ['empty', 'nothing: { }', {}],
])('finds an object: %s', (_name, text, expected) => {
  expect(extractJson(text, any)).toEqual(expected);
});

test.each(['', 'no braces', '{', '{"a":', '{a: 1}', '[1, 2]', '"{"'])(
  'finds none in %j',
  (text) => {
    expect(extractJson(text, any)).toBeNull();
  },
);

test('takes the first object that is wanted, also from inside another', () => {
  const wanted = (value: unknown) =>
    typeof value === 'object' && value !== null && 'plan' in value ? value : null;
  expect(extractJson('{"x":1} {"y":{"plan":2}} {"plan":3}', wanted)).toEqual({ plan: 2 });
});

test('an answer goes before what was thought aloud, which is better than nothing', () => {
  expect(extractJson('<think>{"a":1}</think> {"a":2}', any)).toEqual({ a: 2 });
  expect(extractJson('<think>{"a":1}</think> no more', any)).toEqual({ a: 1 });
});

test.each(['{', '{"', '{"a":', '{}'])('gives up in bounded time on 100,000 times %j', (piece) => {
  const started = performance.now();
  expect(extractJson(piece.repeat(100_000), () => null)).toBeNull();
  expect(performance.now() - started).toBeLessThan(3_000);
});
