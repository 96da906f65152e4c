import { expect, test } from 'vitest';
import { opposedForms, ruleForm } from './rule-form.ts';

test.each([
  [['Use tabs.', 'Always use tabs.', 'use the tabs', 'Verwende Tabs.']],
  [["Don't use emojis.", 'Never use emojis!', 'Stop using emojis.', 'No emojis.']],
  [['Tabs, not spaces.', 'Use tabs instead of spaces.', 'Not spaces but tabs.']],
  [['Instead of mocks, use a real database.', 'Use a real database rather than mocks.']],
  [["Don't write comments.", 'Stop writing comments.', 'Avoid writing comments.']],
  [['Nimm pnpm statt npm.', 'Nicht npm, sondern pnpm.', 'Use pnpm instead of npm.']],
  [['Keine Emojis.', 'Verwende keine Emojis.', 'Nie Emojis verwenden.']],
])('wordings of the same rule have one form: %j', (rules) => {
  expect(new Set(rules.map(ruleForm)).size).toBe(1);
  expect(ruleForm(rules[0] ?? '')).not.toBe('');
});

test.each([
  ['Use tabs.', "Don't use tabs."],
  ['Use tabs instead of spaces.', 'Use spaces instead of tabs.'],
  ["Don't use any in TypeScript.", "Don't use TypeScript."],
  ['Use C.', 'Use C++.'],
  ['Write to a.ts.', 'Write to b.ts.'],
])('"%s" and "%s" differ', (one, other) => {
  expect(ruleForm(one)).not.toBe(ruleForm(other));
});

test('words that say nothing have no form', () => {
  expect(['Use it.', 'Please always.', '...'].map(ruleForm)).toEqual(['', '', '']);
});

test('a rule opposes what says the opposite', () => {
  const opposes = (rule: string, other: string) =>
    opposedForms(ruleForm(rule)).includes(ruleForm(other));
  expect(opposes('Use tabs.', 'Never use tabs.')).toBe(true);
  expect(opposes('Never use tabs.', 'Use tabs.')).toBe(true);
  expect(opposes('Use tabs instead of spaces.', 'Spaces, not tabs.')).toBe(true);
  expect(opposes('Use tabs instead of spaces.', 'Use spaces.')).toBe(true);
  expect(opposes('Use tabs instead of spaces.', "Don't use tabs.")).toBe(true);
  expect(opposes('Use tabs instead of spaces.', 'Use tabs.')).toBe(false);
});
