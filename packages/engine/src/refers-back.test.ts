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

/** Requests as people write them, none about the conversation: the hard ones use its words for other things. */
const requests = [
  'Write a CLI in Go that prints the weather.',
  'Add previous and next buttons to the gallery.',
  'Show all orders placed earlier than May.',
  'The script should skip files that test suites generate.',
  'Make sure that errors are logged.',
  'I need a query for customers who bought twice.',
  'Can you translate this to French?',
  'Find every file that imports lodash.',
  'Let the user go back with the browser button.',
  'Convert data.csv to JSON.',
  'What does this regex match: ^a+$',
  'Create a table with id, name and created_at.',
  'Set the font size to 14.',
  'How many lines are in src/?',
  'The form must remember what was typed in.',
  'Install the newest Node.',
  'Review the diff and tell me what is risky.',
  'Write release notes for 2.0.',
  'Compare Postgres and MySQL for this.',
  'Why is the page slow?',
  'Prices should be shown as before-tax values.',
  'Replace tabs with spaces.',
  'Which of these is faster?',
  'Draw a diagram of the modules.',
  'Stop the server.',
  'Add a column for the previous owner of each car.',
  'Sort by date, oldest first.',
  'Explain what a mutex is.',
  'Send the result to me as a table.',
  'Use British spelling.',
  'Write a test for the parser.',
  'Is it going to rain tomorrow?',
  'Check the links in the docs.',
  'Make a backup of the database.',
  'Rename the package to loom-tools.',
  'Count the words in each chapter.',
  'What happened in 1989?',
  'Generate ten test users.',
  'Add retries with backoff to the client.',
  'Show me how to use git bisect.',
  'Make the header sticky.',
  'Turn this list into a checklist.',
  'Look at the logs and find the slow requests.',
  'Never write to /etc.',
  'Deploy it to staging.',
  'Give me three names for a cat.',
  'Fix the typo in line 12.',
  'Add dark mode.',
  'Undo works only once; make it work ten times.',
  'What is the difference between let and const?',
  'Write a haiku about autumn.',
  'Make the tests run in parallel.',
  'Read the config and list what is not documented.',
  'We have 40 users; will SQLite do?',
  'Write a poem that thing-lovers enjoy.',
  'Import the contacts from last year.',
  'Parse dates in the ISO format.',
  'The job ran out of memory; find out why.',
  'Add a page for users who said no.',
  'Print a calendar for March.',
];

test('takes 3 of 60 requests for more than they are', () => {
  const wrong = requests.filter(refersBack);
  expect(wrong).toEqual([
    'The script should skip files that test suites generate.',
    'The form must remember what was typed in.',
    'Add a column for the previous owner of each car.',
  ]);
});
