import type { SubtaskStatus } from '@loom/shared/statuses';
import {
  CheckIcon,
  CrossIcon,
  DashIcon,
  HandIcon,
  LockIcon,
  SearchCheckIcon,
  Spinner,
} from './icons.tsx';
import { type Tone, toneText } from './tone.ts';

const looks: Record<SubtaskStatus, { label: string; tone: Tone }> = {
  pending: { label: 'Waiting for other steps', tone: 'quiet' },
  queued: { label: 'Queued', tone: 'quiet' },
  running: { label: 'Running', tone: 'active' },
  verifying: { label: 'Being checked', tone: 'active' },
  awaiting_approval: { label: 'Needs approval', tone: 'warn' },
  completed: { label: 'Completed', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  skipped: { label: 'Skipped', tone: 'quiet' },
  blocked: { label: 'Blocked', tone: 'warn' },
};

/** A subtask's status as a sign, with its name for those who cannot see it. */
export function SubtaskStatusIcon({ status }: { status: SubtaskStatus }) {
  const look = looks[status] ?? { label: status, tone: 'quiet' };
  return (
    <span
      title={look.label}
      className={`grid size-5 shrink-0 place-items-center ${toneText[look.tone]}`}
    >
      <Sign status={status} />
      <span className="sr-only">{look.label}</span>
    </span>
  );
}

function Sign({ status }: { status: SubtaskStatus }) {
  switch (status) {
    case 'running':
      return <Spinner className="size-4" />;
    case 'verifying':
      return <SearchCheckIcon className="size-4.5 animate-pulse" />;
    case 'awaiting_approval':
      return <HandIcon className="size-4.5" />;
    case 'completed':
      return <CheckIcon className="size-4.5" />;
    case 'failed':
      return <CrossIcon className="size-4" />;
    case 'skipped':
      return <DashIcon className="size-4" />;
    case 'blocked':
      return <LockIcon className="size-4" />;
    case 'queued':
      return <span className="size-3 rounded-full border-2 border-current" />;
    default:
      return (
        <span className="size-3 rounded-full border-2 border-current border-dotted opacity-70" />
      );
  }
}
