import { toStorableJson } from '@loom/shared/text';
import type { Verdict } from '@loom/shared/verdict';

const maxFeedback = 4_000;
const maxText = 500;
const maxItems = 100;

/** A verdict that the database can keep: bounded in length and number, and plain text throughout. */
export function storableVerdict(verdict: Verdict): Verdict {
  return toStorableJson({
    ...verdict,
    reason_code: cut(verdict.reason_code, 100),
    feedback: cut(verdict.feedback, maxFeedback),
    evidence: verdict.evidence.slice(0, maxItems).map(({ claim, source, quote }) => ({
      claim: cut(claim, maxText),
      source: cut(source, maxText),
      quote: cut(quote, maxText),
    })),
    checks: verdict.checks.slice(0, maxItems).map((check) => ({
      ...check,
      target: cut(check.target, maxText),
      detail: cut(check.detail, maxText),
    })),
    missing_targets: verdict.missing_targets
      .slice(0, maxItems)
      .map((target) => cut(target, maxText)),
  });
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
