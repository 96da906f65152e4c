import { describe, expect, it } from 'vitest';
import { classifyFailure, failureSignature, isTransient } from './classify-failure.ts';
import { verdictOf } from './test-support/task-fixtures.ts';

const failure = (code: string, message = 'it broke') => ({ code, message });

describe('classifyFailure', () => {
  it.each([
    ['model_rate_limited', 'rate_limit'],
    ['rate_limited', 'rate_limit'],
    ['verifier_unreadable', 'verifier_parse'],
    ['parse_inconclusive', 'verifier_parse'],
    ['verification_contradicted', 'verifier_parse'],
    ['evidence_missing', 'evidence_gap'],
    ['evidence_gap', 'evidence_gap'],
    ['deliverable_missing', 'evidence_gap'],
    ['unconfirmed_data', 'unconfirmed_data'],
    ['unconfirmed_critical_path', 'unconfirmed_data'],
    ['tool_failed', 'generic'],
    ['made_up_by_a_model', 'generic'],
  ])('%s is answered by %s', (code, strategy) => {
    expect(classifyFailure(failure(code), null)).toBe(strategy);
  });

  it('believes the code before what the verdict names, and both before the words', () => {
    const named = verdictOf({ outcome: 'fail', missing_targets: ['sources'] });
    expect(classifyFailure(failure('rate_limited', 'no evidence'), named)).toBe('rate_limit');
    expect(classifyFailure(failure('check_failed', 'rate limit'), named)).toBe('evidence_gap');
    expect(classifyFailure(failure('check_failed', 'rate limit'), null)).toBe('rate_limit');
  });

  it('does not read words into a broken invariant', () => {
    const hard = verdictOf({ outcome: 'fail', severity_class: 'hard_invariant' });
    expect(classifyFailure(failure('check_failed', 'could not be confirmed'), hard)).toBe(
      'generic',
    );
  });

  it.each([
    ['HTTP 429 from the server', 'rate_limit'],
    ['Too Many Requests', 'rate_limit'],
    ['the price could not be confirmed', 'unconfirmed_data'],
    ['the claim lacks evidence', 'evidence_gap'],
    ['a number without a source', 'evidence_gap'],
    ['order 1429 is wrong', 'generic'],
  ])('reads "%s" as %s where nothing else is known', (message, strategy) => {
    expect(classifyFailure(failure('semantic', message), null)).toBe(strategy);
  });
});

describe('failureSignature', () => {
  it('is the same whatever the numbers and the line breaks', () => {
    const one = failureSignature(failure('check_failed', 'line 17:\n 3 of 40 failed'));
    expect(failureSignature(failure('check_failed', 'line 98: 5 of 61 failed'))).toBe(one);
  });

  it('is another one for another code or other words', () => {
    const one = failureSignature(failure('check_failed', 'a is empty'));
    expect(failureSignature(failure('check_failed', 'b is empty'))).not.toBe(one);
    expect(failureSignature(failure('tool_failed', 'a is empty'))).not.toBe(one);
  });

  it('is bounded and storable', () => {
    const long = failureSignature(failure('x', '😀'.repeat(200)));
    expect(long.length).toBeLessThanOrEqual(180);
    expect(long.isWellFormed()).toBe(true);
  });
});

describe('isTransient', () => {
  it('knows what waiting alone may help', () => {
    expect(isTransient(failure('model_unavailable'), null)).toBe(true);
    expect(isTransient(failure('tool_failed'), null)).toBe(false);
    expect(isTransient(failure('check_failed'), verdictOf({ severity_class: 'infra' }))).toBe(true);
  });
});
