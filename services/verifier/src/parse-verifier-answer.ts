import { extractJson } from '@loom/shared/extract-json';
import { type VerifierAnswer, verifierAnswerSchema } from '@loom/shared/verdict';

/** Reads a verifier's answer, forgiving in everything but the outcome; null when there is none. */
export function parseVerifierAnswer(text: string): VerifierAnswer | null {
  return extractJson(text, (value) => {
    if (typeof value !== 'object' || value === null || !('outcome' in value)) return null;
    const parsed = verifierAnswerSchema.safeParse(tidy(value as Record<string, unknown>));
    return parsed.success ? parsed.data : null;
  });
}

function tidy(raw: Record<string, unknown>): Record<string, unknown> {
  return {
    outcome: toOutcome(raw.outcome),
    confidence: toConfidence(raw.confidence),
    reason_code: toText(raw.reason_code)?.slice(0, 100),
    severity_class: toText(raw.severity_class)?.slice(0, 40),
    feedback: toText(raw.feedback),
    evidence: toList(raw.evidence)?.map(toEvidence),
    missing_targets: toList(raw.missing_targets)?.flatMap((target) => toText(target) ?? []),
  };
}

function toOutcome(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const word = value
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  return word.replace(/^(pass|fail)ed/, '$1');
}

/** A share of 1, also when it was written as text or as a percentage; undefined when it is neither. */
function toConfidence(value: unknown): number | undefined {
  const isPercentage = typeof value === 'string' && value.trim().endsWith('%');
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  const share = isPercentage || number > 1 ? number / 100 : number;
  return Math.min(1, Math.max(0, share));
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function toList(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function toEvidence(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return { claim: String(value) };
  const { claim, source, quote } = value as Record<string, unknown>;
  return { claim: toText(claim), source: toText(source), quote: toText(quote) };
}
