import type { Verdict } from '@loom/shared/verdict';
import { Badge } from './badge.tsx';
import type { Tone } from './tone.ts';

const looks: Record<Verdict['outcome'], { label: string; tone: Tone }> = {
  pass: { label: 'Verified', tone: 'good' },
  pass_with_warnings: { label: 'Verified with warnings', tone: 'warn' },
  partial_verified: { label: 'Partly verified', tone: 'warn' },
  fail: { label: 'Rejected', tone: 'bad' },
};

/** What the verifier said of a result, in a word; its feedback on hover. */
export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  const look = looks[verdict.outcome] ?? { label: verdict.outcome, tone: 'quiet' };
  return (
    <span
      data-testid="verdict"
      data-outcome={verdict.outcome}
      title={verdict.feedback || undefined}
    >
      <Badge tone={look.tone}>{look.label}</Badge>
    </span>
  );
}
