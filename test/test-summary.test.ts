import { expect, test } from 'vitest';
import { summariseResults } from '../scripts/test-summary.mjs';

const redis = { name: 'redis', wanted: 'redis-server', projects: ['integration-redis'] };
const results = {
  numPassedTests: 7,
  numFailedTests: 0,
  numPendingTests: 1,
  numTodoTests: 0,
  testResults: [
    {
      name: '/repo/test/a.test.ts',
      status: 'passed',
      assertionResults: [{ status: 'skipped', fullName: 'shell runs in a sandbox' }],
    },
  ],
};
const run = { results, code: 0, missing: [], required: [], root: '/repo' };

test('ends with the counts and names every skipped test', () => {
  expect(summariseResults(run)).toEqual({
    lines: ['skipped: test/a.test.ts > shell runs in a sandbox', '7 passed, 0 failed, 1 skipped'],
    failed: 0,
  });
});

test('names the suites that could not run, and what they need', () => {
  expect(summariseResults({ ...run, missing: [redis] }).lines).toEqual([
    'skipped: suite integration-redis, needs redis-server',
    'skipped: test/a.test.ts > shell runs in a sandbox',
    '7 passed, 0 failed, 2 skipped',
  ]);
});

test('a missing component that is required is a failure', () => {
  const summary = summariseResults({ ...run, missing: [redis], required: ['redis', 'chromium'] });
  expect(summary.lines[0]).toBe('FAILED: suite integration-redis, needs redis-server');
  expect(summary.lines.at(-1)).toBe('7 passed, 1 failed, 1 skipped');
  expect(summary.failed).toBe(1);
});

test('a file that cannot be loaded is a failure', () => {
  const broken = { name: '/repo/test/b.test.ts', status: 'failed', assertionResults: [] };
  const summary = summariseResults({
    ...run,
    code: 1,
    results: { ...results, testResults: [broken] },
  });
  expect(summary.lines).toEqual([
    'FAILED: test/b.test.ts could not be loaded',
    '7 passed, 1 failed, 1 skipped',
  ]);
});

test('a run that broke off is a failure, whatever it counted', () => {
  expect(summariseResults({ ...run, code: 1 }).failed).toBe(1);
  expect(summariseResults({ ...run, code: null, results: null }).lines.at(-1)).toBe(
    '0 passed, 1 failed, 0 skipped',
  );
});
