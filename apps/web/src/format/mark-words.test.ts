import { expect, it } from 'vitest';
import { markWords } from './mark-words.ts';

it('marks each word in any case, the longer one where two begin alike', () => {
  const marked = markWords('Rainfall and RAIN in c++ (v1.2)', 'rain c++ rainfall 1.2');
  expect(marked.filter(({ is_hit }) => is_hit).map(({ text }) => text)).toEqual([
    'Rainfall',
    'RAIN',
    'c++',
    '1.2',
  ]);
  expect(marked.map(({ text }) => text).join('')).toBe('Rainfall and RAIN in c++ (v1.2)');
});

it('marks nothing without words', () => {
  expect(markWords('text', ' "" ')).toEqual([{ text: 'text', is_hit: false }]);
});
