import type { Failure } from '@loom/shared/api';
import type { RetryStrategy } from '@loom/shared/task-state';
import type { Verdict } from '@loom/shared/verdict';

const byCode: Record<string, RetryStrategy> = {
  model_rate_limited: 'rate_limit',
  rate_limited: 'rate_limit',
  verifier_unreadable: 'verifier_parse',
  parse_inconclusive: 'verifier_parse',
  verification_contradicted: 'verifier_parse',
  evidence_missing: 'evidence_gap',
  evidence_gap: 'evidence_gap',
  deliverable_missing: 'evidence_gap',
  unconfirmed_data: 'unconfirmed_data',
  unconfirmed_critical_path: 'unconfirmed_data',
  unconfirmed: 'unconfirmed_data',
};

const byWords: [RegExp, RetryStrategy][] = [
  [/\b(429|rate.?limit|too many requests)\b/i, 'rate_limit'],
  [/\b(unconfirmed|could not be confirmed|cannot be confirmed)\b/i, 'unconfirmed_data'],
  [/\b(missing evidence|no evidence|lacks? evidence|without (a )?source)\b/i, 'evidence_gap'],
];

/** How a failure is best answered: by its code, by what the verdict names, and only then by its words. */
export function classifyFailure(failure: Failure, verdict: Verdict | null): RetryStrategy {
  const known = byCode[failure.code];
  if (known !== undefined) return known;
  if (verdict !== null && verdict.missing_targets.length > 0) return 'evidence_gap';
  if (verdict?.severity_class === 'hard_invariant') return 'generic';
  return byWords.find(([words]) => words.test(failure.message))?.[1] ?? 'generic';
}

const maxSignature = 180;

/** What two failures have in common when they are the same one: code and words, whatever the numbers. */
export function failureSignature({ code, message }: Failure): string {
  const words = `${code}: ${message}`.replaceAll(/\d/g, '#').replaceAll(/\s+/g, ' ');
  return words.slice(0, maxSignature).toWellFormed();
}

const transientCodes = [
  'model_rate_limited',
  'model_unavailable',
  'rate_limited',
  'time_exhausted',
];

/** Whether waiting alone may help. */
export function isTransient(failure: Failure, verdict: Verdict | null): boolean {
  return transientCodes.includes(failure.code) || verdict?.severity_class === 'infra';
}
