import type { Subtask } from '@loom/shared/api';
import { useState } from 'react';
import { ChevronIcon } from './icons.tsx';
import { SubtaskDetails } from './subtask-details.tsx';
import { SubtaskStatusIcon } from './subtask-status-icon.tsx';
import { VerdictBadge } from './verdict-badge.tsx';

interface SubtaskRowProps {
  subtask: Subtask;
  /** What it did last, shown while it runs. */
  activity: string | undefined;
}

/** One step of a task: where it stands and what the verifier said; opened, everything known of it. */
export function SubtaskRow({ subtask, activity }: SubtaskRowProps) {
  const [isOpen, setOpen] = useState(false);
  const verdict = subtask.attempts.at(-1)?.verdict;
  const isQuiet = ['pending', 'skipped', 'blocked'].includes(subtask.status);
  return (
    <li data-testid="subtask-row" data-status={subtask.status} data-subtask={subtask.id}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-8.5 w-full items-start gap-2.5 rounded-lg px-2 py-1.5 text-left text-sm hover:bg-hover/60"
      >
        <SubtaskStatusIcon status={subtask.status} />
        <span className="flex min-w-0 flex-1 flex-wrap items-start gap-x-2.5 gap-y-1 sm:flex-nowrap">
          <span
            className={`wrap-anywhere min-w-0 basis-full sm:flex-1 sm:basis-0 ${isQuiet ? 'text-faint' : ''} ${isOpen ? '' : 'line-clamp-2'}`}
          >
            {subtask.description}
          </span>
          {activity && subtask.status === 'running' && (
            <code className="max-w-44 truncate font-mono text-faint text-xs leading-[22px]">
              {activity}
            </code>
          )}
          {verdict && <VerdictBadge verdict={verdict} />}
          {subtask.attempts.length > 1 && (
            <span className="shrink-0 text-faint text-xs leading-[22px]">
              attempt {subtask.attempts.length}
            </span>
          )}
        </span>
        <ChevronIcon
          className={`mt-1 size-3.5 text-faint transition-transform ${isOpen ? 'rotate-90' : ''}`}
        />
      </button>
      {isOpen && <SubtaskDetails subtask={subtask} />}
    </li>
  );
}
