import { expect, test } from 'vitest';
import { confidenceSignals } from './confidence-signals.ts';
import { checkResult, recordedCall } from './test-support/subject-fixtures.ts';

const tier1 = { tier: 1, confidence: 0.4 };

test('without checks and calls nothing speaks against a result', () => {
  expect(confidenceSignals(tier1, [], [])).toEqual({
    tier1_ratio: 1,
    tier2_confidence: null,
    tool_success: 1,
    destructive: false,
  });
});

test('checks count by what passed, calls by what was done', () => {
  const checks = [
    checkResult(),
    checkResult(),
    checkResult({ passed: false, advisory: true }),
    checkResult({ passed: false }),
  ];
  const calls = [
    recordedCall(),
    recordedCall({ status: 'failed' }),
    recordedCall({ status: 'in_doubt' }),
    recordedCall({ status: 'intent' }),
    recordedCall({ exit_code: 1 }),
  ];
  expect(confidenceSignals(tier1, checks, calls)).toMatchObject({
    tier1_ratio: 0.5,
    tool_success: 0.4,
  });
});

test('a look that found nothing counts among the calls, not among the checks', () => {
  const missed = checkResult({ name: 'tool_success', passed: false, advisory: true });
  const calls = [recordedCall({ tool: 'read_file', effect: 'read', status: 'failed' })];
  expect(confidenceSignals(tier1, [missed], calls)).toMatchObject({
    tier1_ratio: 1,
    tool_success: 0,
  });
  const broken = checkResult({ name: 'tool_success', passed: false });
  expect(confidenceSignals(tier1, [missed, broken], calls).tier1_ratio).toBe(0);
});

test('what a model thought counts only where one was asked', () => {
  expect(confidenceSignals({ tier: 2, confidence: 0.7 }, [], [])).toMatchObject({
    tier2_confidence: 0.7,
  });
});

test('one destructive call is enough', () => {
  const shell = (command: string) =>
    recordedCall({ tool: 'shell_execute', effect: 'effectful', arguments: { command } });
  expect(confidenceSignals(tier1, [], [shell('ls')]).destructive).toBe(false);
  expect(confidenceSignals(tier1, [], [shell('ls'), shell('rm -rf build')]).destructive).toBe(true);
});
