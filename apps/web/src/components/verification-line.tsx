import type { Verification } from '@loom/shared/statuses';
import { AlertIcon, CrossIcon, DashIcon, ShieldIcon } from './icons.tsx';
import { type Tone, toneText } from './tone.ts';

const looks: Record<Verification, { label: string; note: string; tone: Tone }> = {
  verified: { label: 'Verified', note: 'every result passed its checks', tone: 'good' },
  partly_verified: {
    label: 'Partly verified',
    note: 'not every check could be made',
    tone: 'warn',
  },
  unverified: { label: 'Unverified', note: 'the result was not checked', tone: 'quiet' },
  failed: { label: 'Verification failed', note: 'a result did not pass its checks', tone: 'bad' },
};

/** How far a finished task's result can be trusted, apart from its status. */
export function VerificationLine({ verification }: { verification: Verification }) {
  const look = looks[verification] ?? { label: verification, note: '', tone: 'quiet' };
  return (
    <p
      data-testid="verification"
      data-verification={verification}
      className={`flex items-center gap-2 text-sm ${toneText[look.tone]}`}
    >
      <Sign verification={verification} />
      <span>
        <strong className="font-medium">{look.label}</strong>
        <span className="text-faint"> — {look.note}</span>
      </span>
    </p>
  );
}

function Sign({ verification }: { verification: Verification }) {
  if (verification === 'verified') return <ShieldIcon className="size-4.5" />;
  if (verification === 'partly_verified') return <AlertIcon className="size-4.5" />;
  return verification === 'failed' ? <CrossIcon /> : <DashIcon />;
}
