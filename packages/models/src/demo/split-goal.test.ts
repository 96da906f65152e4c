import { describe, expect, it } from 'vitest';
import { looksLikeWork, splitGoal } from './split-goal.ts';

describe('splitGoal', () => {
  it.each([
    ['Write a haiku about rain', ['a haiku about rain']],
    [
      'Write a haiku about rain and a limerick about tea.',
      ['a haiku about rain', 'a limerick about tea'],
    ],
    [
      'Could you please write alpha.txt, beta.txt, and gamma.txt?',
      ['alpha.txt', 'beta.txt', 'gamma.txt'],
    ],
    ['Create a poem and then write a list of clouds', ['a poem', 'a list of clouds']],
    ['write notes about cats and dogs', ['notes about cats', 'notes about dogs']],
    ['Make a cake recipe; a shopping list', ['a cake recipe', 'a shopping list']],
    ['Please do this:\n1. a haiku\n2) Write a limerick\n- tea, and cake', undefined],
    ['Write me a poem', ['a poem']],
    ['Write the files a.md and b.md', ['a.md', 'b.md']],
    ['Create three files: one.txt, two.txt', ['one.txt', 'two.txt']],
    ['Put 1 into a.md', ['1 into a.md']],
    ['', []],
  ])('%j', (goal, items) => {
    expect(splitGoal(goal)).toEqual(items ?? ['a haiku', 'a limerick', 'tea, and cake']);
  });

  it('folds what exceeds twelve items into the last and bounds each item', () => {
    const goal = Array.from({ length: 20 }, (_, index) => `- item ${index}`).join('\n');
    const items = splitGoal(goal);
    expect(items).toHaveLength(12);
    expect(items[11]).toContain('item 11; item 12');
    expect(splitGoal(`Write ${'x'.repeat(5_000)}`)[0]).toHaveLength(300);
  });
});

describe('looksLikeWork', () => {
  it.each([
    'Write a haiku about rain',
    'Hi, please create a page and a test',
    'A haiku about rain and a limerick about tea',
    '- one\n- two',
  ])('yes: %j', (text) => expect(looksLikeWork(text)).toBe(true));

  it.each(['Hello', 'How are you and who made you?', 'I like tea and cake', ''])('no: %j', (text) =>
    expect(looksLikeWork(text)).toBe(false),
  );
});
