import { verdictSchema } from '@loom/shared/verdict';
import { describe, expect, it } from 'vitest';
import { checkResult } from './test-support/subject-fixtures.ts';
import { tier1Verdict } from './tier1-verdict.ts';
import { tier2Verdict } from './tier2-verdict.ts';

const passed = tier1Verdict([
  checkResult({ target: 'a.md', sha256: 'abc', detail: 'has 3 bytes' }),
]);
const warned = tier1Verdict([
  checkResult({ passed: false, advisory: true, detail: 'is in doubt' }),
]);
const partial = tier1Verdict([
  checkResult({ name: 'command', target: 'make', passed: false, advisory: true }),
]);

const answer = (fields: Record<string, unknown>, tier1 = passed) =>
  tier2Verdict(tier1, { kind: 'answered', text: JSON.stringify(fields) });

describe('an answer', () => {
  it('becomes the verdict, with the evidence of both tiers', () => {
    const verdict = answer({
      outcome: 'pass',
      confidence: 0.8,
      reason_code: 'all_there',
      severity_class: 'semantic',
      feedback: 'Good.',
      evidence: [{ claim: 'is a haiku', source: 'a.md', quote: 'rain' }],
      missing_targets: [],
    });
    expect(verdict).toMatchObject({
      outcome: 'pass',
      tier: 2,
      conclusive: true,
      confidence: 0.8,
      reason_code: 'all_there',
      evidence: [
        { claim: 'has 3 bytes', source: 'a.md', quote: 'sha256 abc' },
        { claim: 'is a haiku', source: 'a.md', quote: 'rain' },
      ],
      checks: passed.checks,
    });
    expect(verdictSchema.parse(verdict)).toEqual(verdict);
  });

  it('may be fenced, with prose around it', () => {
    const text =
      'I looked {closely}.\n```json\n{"outcome": "fail", "feedback": "No title."}\n```\nBye.';
    expect(tier2Verdict(passed, { kind: 'answered', text })).toMatchObject({
      outcome: 'fail',
      reason_code: 'requirement_not_met',
      severity_class: 'semantic',
      feedback: 'No title.',
    });
  });

  it.each([
    ['0.7', 0.7],
    ['70%', 0.7],
    ['1%', 0.01],
    ['70', 0.7],
    [70, 0.7],
    [-1, 0],
    ['high', 0.5],
    [null, 0.5],
  ])('may give its confidence as %j', (confidence, expected) => {
    expect(answer({ outcome: 'pass', confidence }).confidence).toBe(expected);
  });

  it('is read however loosely it keeps to the schema', () => {
    expect(
      answer({
        outcome: ' Pass With-Warnings ',
        severity_class: 'minor',
        feedback: null,
        evidence: ['seen it', { claim: 'x', line: 3 }],
        missing_targets: ['b.md', 7],
        reason_code: 'x'.repeat(300),
      }),
    ).toMatchObject({
      outcome: 'pass_with_warnings',
      severity_class: 'semantic',
      feedback: '',
      evidence: [
        {},
        { claim: 'seen it', source: '', quote: '' },
        { claim: 'x', source: '', quote: '' },
      ],
      missing_targets: ['b.md'],
    });
  });

  it.each([
    [warned, 'pass', 'pass_with_warnings', 'checks_passed_with_warnings'],
    [partial, 'pass', 'partial_verified', 'check_not_run'],
    [partial, 'pass_with_warnings', 'partial_verified', 'check_not_run'],
    [warned, 'partial_verified', 'partial_verified', 'said'],
    [partial, 'fail', 'fail', 'said'],
  ])('cannot hide what tier 1 found %#', (tier1, outcome, expected, reason_code) => {
    const verdict = answer({ outcome, reason_code: 'said', feedback: 'Words.' }, tier1);
    expect(verdict).toMatchObject({ outcome: expected, reason_code, tier: 2 });
    expect(verdict.feedback).toContain('Words.');
    expect(verdict.feedback.includes(tier1.feedback)).toBe(outcome !== 'fail');
  });
});

describe('no answer', () => {
  it.each(['', 'It is fine.', '{"outcome": "maybe"}', '{"outcome": "pass"'])(
    'that can be read in %j leaves tier 1 with a warning',
    (text) => {
      expect(tier2Verdict(passed, { kind: 'answered', text })).toMatchObject({
        outcome: 'pass_with_warnings',
        reason_code: 'verifier_unreadable',
        severity_class: 'inconclusive',
        tier: 1,
        conclusive: true,
        evidence: passed.evidence,
      });
    },
  );

  it('from a verifier that failed is never conclusive', () => {
    expect(tier2Verdict(passed, { kind: 'failed', reason: 'it is down' })).toMatchObject({
      outcome: 'pass_with_warnings',
      reason_code: 'verifier_failed',
      severity_class: 'inconclusive',
      tier: 1,
      conclusive: false,
      feedback: 'The verifier could not be asked: it is down',
    });
  });

  it('for want of a verifier is never a pass', () => {
    expect(tier2Verdict(passed, { kind: 'no_verifier' })).toMatchObject({
      outcome: 'partial_verified',
      reason_code: 'verifier_unavailable',
      severity_class: 'infra',
      tier: 1,
      conclusive: false,
    });
  });

  it('for want of a budget is never conclusive', () => {
    expect(tier2Verdict(passed, { kind: 'no_budget' })).toMatchObject({
      outcome: 'pass_with_warnings',
      reason_code: 'budget_exhausted',
      severity_class: 'infra',
      tier: 1,
      conclusive: false,
    });
  });

  it('leaves what tier 1 could not check as it was', () => {
    expect(tier2Verdict(partial, { kind: 'failed', reason: 'it is down' })).toMatchObject({
      outcome: 'partial_verified',
      reason_code: 'check_not_run',
      conclusive: false,
    });
  });
});
