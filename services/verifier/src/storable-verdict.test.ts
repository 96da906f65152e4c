import { isStorableText } from '@loom/shared/text';
import { expect, it } from 'vitest';
import { storableVerdict } from './storable-verdict.ts';
import { checkResult } from './test-support/subject-fixtures.ts';
import { tier1Verdict } from './tier1-verdict.ts';

it('bounds every text and every list, and leaves nothing the database refuses', () => {
  const long = `\u0000${'x'.repeat(3_998)}\u{1F600}${'x'.repeat(5_000)}`;
  const item = { claim: long, source: long, quote: long };
  const verdict = storableVerdict({
    ...tier1Verdict([]),
    reason_code: long,
    feedback: long,
    evidence: Array.from({ length: 200 }, () => item),
    checks: Array.from({ length: 200 }, () => checkResult({ target: long, detail: long })),
    missing_targets: Array.from({ length: 200 }, () => long),
  });
  expect(verdict.feedback).toHaveLength(4_000);
  expect(verdict.evidence).toHaveLength(100);
  expect(verdict.evidence[0]?.quote).toHaveLength(500);
  expect(verdict.checks).toHaveLength(100);
  expect(verdict.missing_targets).toHaveLength(100);
  const texts = [
    verdict.feedback,
    verdict.reason_code,
    ...Object.values(verdict.evidence[0] ?? {}),
  ];
  expect(texts.every(isStorableText)).toBe(true);
});

it('leaves a plain verdict alone', () => {
  const verdict = tier1Verdict([checkResult({ sha256: 'abc', exit_code: 0 })]);
  expect(storableVerdict(verdict)).toEqual(verdict);
});
