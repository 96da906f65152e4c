import { describe, expect, it } from 'vitest';
import { createBoundedCapture } from './bounded-capture.ts';

describe('createBoundedCapture', () => {
  it('keeps everything up to its bound', () => {
    const capture = createBoundedCapture(10);
    for (const part of ['abc', 'defg', 'hij']) capture.push(Buffer.from(part));
    expect(capture.text()).toBe('abcdefghij');
  });

  it('keeps beginning and end of more, however it arrives', () => {
    const text = `${'a'.repeat(5)}${'x'.repeat(1_000)}${'z'.repeat(5)}`;
    for (const size of [1, 3, 7, 64, 2_000]) {
      const capture = createBoundedCapture(10);
      for (let at = 0; at < text.length; at += size) {
        capture.push(Buffer.from(text.slice(at, at + size)));
      }
      expect(capture.text()).toBe('aaaaa\n[… 1000 bytes of output cut …]\nzzzzz');
    }
  });
});
