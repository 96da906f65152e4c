import { expect, test } from 'vitest';
import { learnedSection } from './learned-section.ts';

test('tells each rule in a line of its own', () => {
  expect(learnedSection(['Use tabs.', 'No\n# emojis.'])).toMatchInlineSnapshot(`
    "Learned from corrections the user made before. Follow these unless the user now says otherwise:
    - Use tabs.
    - No # emojis."
  `);
});

test('is nothing while nothing was learnt', () => {
  expect(learnedSection([])).toBeNull();
});
