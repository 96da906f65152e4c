import { expect, test } from 'vitest';
import { refersBack } from './refers-back.ts';

const back = [
  'Like we discussed, use tabs.',
  'do it as before',
  'Remember when the build broke?',
  'Go back to the first version',
  'open that file again',
  'What was THAT ERROR?',
  'rename that function',
  'do that thing with the cache',
  'Tell me what we did yesterday',
  'You said earlier it was fine',
  'use the previous name',
  'As I said, no.',
  'like I mentioned, it must be short',
  'we already fixed it',
  'Why did we pick that approach?',
  'Wie besprochen, bitte in Blau.',
  'Was hatte ich vorhin gesagt?',
  'Erinnerst du dich an den Namen?',
];

const forward = [
  'Write a function that sorts numbers.',
  'Create a file named report.md.',
  'What is the capital of France?',
  'Run the tests and fix what fails.',
  'Add a test that checks the header.',
  'Thanks!',
  'Make the button blue, like the sky.',
  'As soon as it is done, tell me.',
  'Is there a way to do this in one query?',
  'Please summarise README.md.',
  'The earliest date wins.',
  'Explain recursion to me.',
  'I want a page with a form and a list.',
  'Remember to close the file.',
  'Go to the docs folder and list it.',
  'Schreibe ein Gedicht über den Herbst.',
  'Wie sortiert man Zahlen?',
  'Use the same colours everywhere.',
  'How do I revert a commit?',
  'Delete everything in tmp.',
];

test('notices what refers back, in whatever case', () => {
  expect(back.filter((text) => !refersBack(text))).toEqual([]);
  expect(back.filter((text) => !refersBack(text.toUpperCase()))).toEqual([]);
});

test('is silent about what does not', () => {
  expect(forward.filter(refersBack)).toEqual([]);
});
