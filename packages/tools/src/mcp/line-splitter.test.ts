import { expect, it } from 'vitest';
import { createLineSplitter } from './line-splitter.ts';

function split(text: string, size: number, max = 1_000) {
  const lines: string[] = [];
  const splitter = createLineSplitter(max, (line) => lines.push(line));
  const bytes = Buffer.from(text);
  let goesOn = true;
  for (let at = 0; at < bytes.length; at += size) {
    goesOn = splitter.push(bytes.subarray(at, at + size));
  }
  return { lines, goesOn };
}

it.each([1, 2, 3, 7, 100])(
  'gives whole lines, however they arrive (%d bytes at a time)',
  (size) => {
    const { lines } = split('{"a":"ü"}\r\n\n{"b":"€"}\nrest', size);
    expect(lines).toEqual(['{"a":"ü"}', '{"b":"€"}']);
  },
);

it('stops for good at a line that is too long', () => {
  expect(split(`ok\n${'x'.repeat(50)}\nafter\n`, 8, 20)).toEqual({ lines: ['ok'], goesOn: false });
  expect(split(`${'x'.repeat(20)}\n`, 8, 20).goesOn).toBe(true);
});
