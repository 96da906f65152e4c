import { verdictSchema } from '@loom/shared/verdict';
import { describe, expect, it } from 'vitest';
import { checkResult } from './test-support/subject-fixtures.ts';
import { tier1Verdict } from './tier1-verdict.ts';

const failing = (name: string, target = 'a') =>
  checkResult({ name, target, passed: false, detail: 'is wrong' });
const notRun = checkResult({
  name: 'command',
  target: 'npm test',
  passed: false,
  advisory: true,
  detail: 'was not run: no sandbox',
});
const warning = checkResult({
  name: 'in_doubt',
  target: 'send a letter',
  passed: false,
  advisory: true,
  detail: 'is in doubt',
});

describe('tier1Verdict', () => {
  it('passes what had nothing to fail', () => {
    const verdict = tier1Verdict([]);
    expect(verdict).toMatchObject({
      outcome: 'pass',
      reason_code: 'checks_passed',
      tier: 1,
      conclusive: true,
      confidence: 1,
    });
    expect(verdictSchema.parse(verdict)).toEqual(verdict);
  });

  it.each([
    ['tool_success', 'tool_failed'],
    ['deliverable_exists', 'deliverable_missing'],
    ['file_not_empty', 'file_empty'],
    ['syntax', 'invalid_syntax'],
    ['command', 'check_failed'],
  ])('fails for %s with %s', (name, reason_code) => {
    const check = { ...failing(name), ...(name === 'command' ? { exit_code: 1 } : {}) };
    expect(tier1Verdict([checkResult(), check, failing('syntax'), notRun])).toMatchObject({
      outcome: 'fail',
      reason_code,
      severity_class: 'hard_invariant',
      confidence: 0.25,
    });
  });

  it('tells the executor exactly what to fix, and names what is missing', () => {
    const verdict = tier1Verdict([
      failing('deliverable_exists', 'a.md'),
      checkResult({
        name: 'command',
        target: 'npm test',
        passed: false,
        exit_code: 2,
        detail: '1 failed',
      }),
      warning,
    ]);
    expect(verdict.feedback).toBe(`Fix each of these, then finish again:
- a.md is wrong
- npm test must exit with 0, but exited with 2. Its output ends with:
1 failed`);
    expect(verdict.missing_targets).toEqual(['a.md']);
  });

  it('is only partly sure when a command could not be run', () => {
    expect(tier1Verdict([notRun, warning, checkResult()])).toMatchObject({
      outcome: 'partial_verified',
      reason_code: 'check_not_run',
      severity_class: 'infra',
      conclusive: true,
      feedback: expect.stringMatching(/npm test was not run: no sandbox/),
    });
  });

  it('warns of what is advisory', () => {
    expect(tier1Verdict([warning, checkResult()])).toMatchObject({
      outcome: 'pass_with_warnings',
      confidence: 0.5,
      feedback: expect.stringMatching(/is in doubt/),
    });
  });

  it('names what it looked at: files with hashes, commands with exit codes, what is in doubt', () => {
    const { evidence } = tier1Verdict([
      checkResult({
        name: 'file_not_empty',
        target: 'a.json',
        detail: 'has 2 bytes',
        sha256: 'abc',
      }),
      checkResult({ target: 'a.json', detail: 'is valid JSON', sha256: 'abc' }),
      checkResult({ name: 'command', target: 'npm test', detail: '3 passed', exit_code: 0 }),
      notRun,
      warning,
    ]);
    expect(evidence).toEqual([
      { claim: 'has 2 bytes; is valid JSON', source: 'a.json', quote: 'sha256 abc' },
      { claim: 'exit code 0', source: 'npm test', quote: '3 passed' },
      {
        claim: 'it is not known whether this call took effect',
        source: 'send a letter',
        quote: '',
      },
    ]);
  });
});
