import { retryStrategies } from '@loom/shared/task-state';
import { expect, test } from 'vitest';
import { type EarlierAttempts, retryContext, retryPlan } from './retry-context.ts';

const first: EarlierAttempts = {
  feedback: null,
  error: null,
  strategy: null,
  missing_targets: [],
  files_changed: [],
  deliverables: ['a.md'],
  confirmations: 0,
  remediation: null,
};

test('a first attempt is told nothing', () => {
  expect(retryContext(first)).toBeNull();
});

test('a retry is told what was wrong, what is missing, how to go about it, and what to edit in place', () => {
  const told = retryContext({
    ...first,
    feedback: 'The table has no sources.',
    error: { code: 'evidence_gap', message: 'The table has no sources.' },
    strategy: 'evidence_gap',
    missing_targets: ['source of row 3', 'source of row 9'],
    files_changed: ['a.md', 'data/raw.csv'],
  });
  expect(told).toMatchInlineSnapshot(`
    "AN EARLIER ATTEMPT WAS NOT ACCEPTED:
    The table has no sources.
    Kind of failure: missing evidence (evidence_gap)
    Say for each claim where it comes from, in the deliverable itself, and quote what you rely on.

    WHAT IS MISSING:
    - source of row 3
    - source of row 9

    HOW TO GO ABOUT IT: Evidence is missing. For each missing target find a source, or make what is missing; write down where it comes from, next to the claim. What you cannot find, say so instead of filling the gap.

    FILES ALREADY CHANGED by earlier attempts:
    - a.md
    - data/raw.csv
    Correct them in place; make no copies and no second versions. The result belongs in the deliverables alone."
  `);
});

test('an attempt that broke off is told its error when there is no other feedback', () => {
  const told = retryContext({
    ...first,
    deliverables: [],
    error: { code: 'time_exhausted', message: 'The attempt took longer than 1200 seconds.' },
    strategy: 'generic',
  });
  expect(told).toContain('Kind of failure: limits (time_exhausted): The attempt took longer');
  expect(told).toContain('Files of earlier attempts may still be in the workspace.');
  expect(told).not.toContain('deliverables alone');
});

test('confirm-or-prune and remediation say what kind of repair it is, before anything else', () => {
  const told = retryContext({
    ...first,
    feedback: 'Three prices are unconfirmed.',
    strategy: 'unconfirmed_data',
    confirmations: 1,
    remediation: { reason_code: 'unconfirmed_data', blocking: true, attempts: 2 },
  });
  const places = ['REMEDIATION:', 'CONFIRM OR PRUNE:', 'AN EARLIER ATTEMPT', 'HOW TO GO ABOUT IT:'];
  const found = places.map((words) => told?.indexOf(words) ?? -1);
  expect(found).toEqual([...found].sort((one, other) => one - other));
  expect(found[0]).toBe(0);
  expect(told).toContain('try 2. The task cannot be completed without it.');
  expect(
    retryContext({
      ...first,
      remediation: { reason_code: 'unconfirmed', blocking: false, attempts: 1 },
    }),
  ).toContain('The task goes on meanwhile');
});

test('whatever happened before, the context stays small and well-formed', () => {
  const long = '😀'.repeat(20_000);
  const many = Array.from({ length: 1_000 }, (_, index) => `${index} ${long}`);
  const told = retryContext({
    ...first,
    feedback: long,
    error: { code: long, message: `x${long}` },
    strategy: 'generic',
    missing_targets: many,
    files_changed: many,
    confirmations: 2,
    remediation: { reason_code: long, blocking: true, attempts: 3 },
  });
  expect(told?.length).toBeLessThan(24_000);
  expect(told?.isWellFormed()).toBe(true);
  expect(told).toContain('- and 980 more');
  expect(told).toContain('- and 960 more');
});

test('every strategy has a plan of its own', () => {
  expect(new Set(retryStrategies.map(retryPlan)).size).toBe(retryStrategies.length);
});
