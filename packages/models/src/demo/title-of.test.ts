import { expect, it } from 'vitest';
import { titleOf } from './title-of.ts';

it.each([
  ['Write a haiku about rain to haiku-about-rain.md', 'Haiku about rain'],
  ['Write the plan for a trip to sea to notes/plan.md\nIn detail.', 'Plan for a trip to sea'],
  ['Write a.md', 'a.md'],
  ['Write 雨の俳句 to item-1.md', '雨の俳句'],
  ['check everything', 'Check everything'],
])('%j reads %j', (description, title) => {
  expect(titleOf(description)).toBe(title);
});
