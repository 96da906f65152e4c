import { severityClasses, type Verdict, verdictOutcomes } from '@loom/shared/verdict';
import { parseVerifierAnswer } from './parse-verifier-answer.ts';

/** What came of asking a verifier. */
export type VerifierReply =
  | { kind: 'answered'; text: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'no_budget' }
  | { kind: 'no_verifier' };

/** Joins what a verifier said with what tier 1, which it passed, had found. */
export function tier2Verdict(tier1: Verdict, reply: VerifierReply): Verdict {
  if (reply.kind === 'no_verifier') {
    return weaken(tier1, {
      outcome: 'partial_verified',
      conclusive: false,
      reason_code: 'verifier_unavailable',
      severity_class: 'infra',
      feedback: 'No model is configured for the role "verifier", so the content was not judged.',
    });
  }
  if (reply.kind === 'no_budget') {
    return weaken(tier1, {
      outcome: 'pass_with_warnings',
      conclusive: false,
      reason_code: 'budget_exhausted',
      severity_class: 'infra',
      feedback: 'The budget allowed no call to a verifier, so the content was not judged.',
    });
  }
  if (reply.kind === 'failed') {
    return weaken(tier1, {
      outcome: 'pass_with_warnings',
      conclusive: false,
      reason_code: 'verifier_failed',
      severity_class: 'inconclusive',
      feedback: `The verifier could not be asked: ${reply.reason}`,
    });
  }
  const answer = parseVerifierAnswer(reply.text);
  if (answer === null) {
    return weaken(tier1, {
      outcome: 'pass_with_warnings',
      conclusive: true,
      reason_code: 'verifier_unreadable',
      severity_class: 'inconclusive',
      feedback: 'The verifier gave no answer that can be read.',
    });
  }
  const { outcome, confidence, feedback, evidence, missing_targets } = answer;
  const failed = outcome === 'fail';
  return {
    ...weaken(tier1, {
      outcome,
      conclusive: true,
      reason_code: answer.reason_code || (failed ? 'requirement_not_met' : 'requirement_met'),
      severity_class: severityClasses.find((one) => one === answer.severity_class) ?? 'semantic',
      feedback: feedback || (failed ? 'The verifier found that the requirement is not met.' : ''),
    }),
    tier: 2,
    confidence,
    evidence: [...tier1.evidence, ...evidence],
    missing_targets: [...new Set([...tier1.missing_targets, ...missing_targets])],
  };
}

type Judgement = Pick<
  Verdict,
  'outcome' | 'conclusive' | 'reason_code' | 'severity_class' | 'feedback'
>;

/** The weaker of the two outcomes, under its own reason; tier 1's warnings are not lost in a pass. */
function weaken(tier1: Verdict, judgement: Judgement): Verdict {
  if (judgement.outcome === 'fail') return { ...tier1, ...judgement };
  const { outcome, reason_code, severity_class } =
    rank(tier1) > rank(judgement) ? tier1 : judgement;
  const feedback = [tier1.feedback, judgement.feedback].filter((text) => text !== '').join('\n');
  return { ...tier1, ...judgement, outcome, reason_code, severity_class, feedback };
}

function rank({ outcome }: Pick<Verdict, 'outcome'>): number {
  return verdictOutcomes.indexOf(outcome);
}
