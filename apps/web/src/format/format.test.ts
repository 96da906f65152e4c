import { describe, expect, it } from 'vitest';
import { describeCall } from './describe-call.ts';
import { elapsed } from './elapsed.ts';
import { when } from './when.ts';

describe('elapsed', () => {
  it.each([
    [-500, '0 s'],
    [4_400, '4 s'],
    [60_000, '1 min'],
    [125_000, '2 min 5 s'],
    [3_780_000, '1 h 3 min'],
    [7_200_000, '2 h'],
  ])('%d ms is %s', (milliseconds, text) => {
    expect(elapsed(milliseconds)).toBe(text);
  });
});

describe('when', () => {
  const now = new Date(2026, 5, 17, 9, 30);
  const at = (...parts: [number, number, number, number]) =>
    when(new Date(...parts).toISOString(), now);

  it('says the hour today, then the day, then the date', () => {
    expect(at(2026, 5, 17, 0)).toMatch(/\d\d:\d\d/);
    expect(at(2026, 5, 16, 23)).toBe('Yesterday');
    expect(at(2026, 5, 12, 23)).toBe(
      new Date(2026, 5, 12).toLocaleDateString([], { weekday: 'long' }),
    );
    expect(at(2025, 5, 12, 23)).toContain('2025');
  });
});

describe('describeCall', () => {
  const call = (args: never | object | string) =>
    describeCall({ id: 'c', name: 'tool', arguments: args as never });

  it('names the argument that matters, on one line', () => {
    expect(call({ content: 'long', path: 'notes/a.md' })).toBe('notes/a.md');
    expect(call({ args: ['log', '-1'] })).toBe('["log","-1"]');
    expect(call({ command: 'a\n  b' })).toBe('a b');
    expect(call('{broken')).toBe('{broken');
    expect(call({})).toBe('');
    expect(call({ goal: 'x'.repeat(500) })).toHaveLength(160);
  });
});
