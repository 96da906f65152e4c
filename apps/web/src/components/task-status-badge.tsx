import type { TaskStatus } from '@loom/shared/statuses';
import { Badge } from './badge.tsx';
import { Spinner } from './icons.tsx';
import type { Tone } from './tone.ts';

const looks: Record<TaskStatus, { label: string; tone: Tone }> = {
  queued: { label: 'Queued', tone: 'quiet' },
  planning: { label: 'Planning', tone: 'active' },
  ready: { label: 'Ready', tone: 'active' },
  running: { label: 'Running', tone: 'active' },
  awaiting_confirmation: { label: 'Needs approval', tone: 'warn' },
  paused: { label: 'Paused', tone: 'quiet' },
  completed: { label: 'Completed', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  cancelled: { label: 'Cancelled', tone: 'quiet' },
};

/** Where a task stands. */
export function TaskStatusBadge({
  status,
  isStopping,
}: {
  status: TaskStatus;
  isStopping: boolean;
}) {
  const look = looks[status] ?? { label: status, tone: 'quiet' };
  return (
    <Badge tone={isStopping ? 'warn' : look.tone}>
      {look.tone === 'active' && <Spinner className="size-3" />}
      {isStopping ? 'Stopping' : look.label}
    </Badge>
  );
}
