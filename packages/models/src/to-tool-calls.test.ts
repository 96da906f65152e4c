import { describe, expect, it } from 'vitest';
import { toToolCalls } from './to-tool-calls.ts';

function argumentsOf(text: string) {
  return toToolCalls([{ id: 'a', name: 'f', arguments: text }])[0]?.arguments;
}

describe('toToolCalls', () => {
  it('makes ids unique and fills in empty ones', () => {
    const calls = ['a', 'a', '', 'a', ' '].map((id) => ({ id, name: 'f', arguments: '' }));
    expect(toToolCalls(calls, 4).map(({ id }) => id)).toEqual([
      'a',
      'a-2',
      'call-7',
      'a-3',
      'call-9',
    ]);
  });

  it.each([
    ['{"path":"a"}', { path: 'a' }],
    ['[1]', [1]],
    ['null', null],
    ['"text"', 'text'],
    ['', {}],
    ['{"path": "a', '{"path": "a'],
    ['{"a":"\\u0000\\ud800"}', { a: '\uFFFD\uFFFD' }],
    ['broken \u0000', 'broken \uFFFD'],
  ])('arguments %j', (text, expected) => {
    expect(argumentsOf(text)).toEqual(expected);
  });
});
