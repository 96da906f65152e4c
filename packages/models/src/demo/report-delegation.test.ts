import { expect, it } from 'vitest';
import { reportDelegation } from './report-delegation.ts';

it('tells what was made and where it lies', () => {
  const result = [
    'Task completed: "Write a haiku about rain and b.md"',
    '',
    'Subtasks:',
    '  [x] haiku-about-rain: Write a haiku about rain to haiku-about-rain.md — Wrote haiku-about-rain.md.',
    '  [x] b-md: Write b.md — Wrote b.md.',
    '',
    'Files changed:',
    '  - b.md',
    '  - haiku-about-rain.md',
    '',
    'Verification: verified (every subtask was verified)',
  ].join('\n');
  expect(reportDelegation(result)).toBe(
    'Done. Every subtask was verified.\n\n- Haiku about rain: `haiku-about-rain.md`\n- b.md',
  );
});

it('tells what was not made, and why', () => {
  const result = [
    'Task failed: "x"',
    '',
    'Subtasks:',
    '  [!] x: Write a poem to poem.md — No disk is left.',
    '  [-] summary: Write a summary of all results to summary.md — It waits for x.',
    '',
    'Verification: failed (verification failed)',
  ].join('\n');
  expect(reportDelegation(result)).toBe(
    [
      'Not all of it worked out. Verification failed.',
      '',
      '- Poem: not done. No disk is left.',
      '- Summary of all results: not done. It waits for x.',
    ].join('\n'),
  );
});

it('passes on what it cannot read', () => {
  expect(reportDelegation('The task task_1 was started.')).toBe('The task task_1 was started.');
});
