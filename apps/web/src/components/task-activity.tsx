import { isTerminalTask } from '@loom/shared/statuses';
import { useState } from 'react';
import { describeTaskEvent } from '../format/describe-task-event.ts';
import type { TaskView } from '../state/task-view.ts';
import { useTaskLog } from '../state/use-task-log.ts';
import { ChevronIcon } from './icons.tsx';
import { toneText } from './tone.ts';

const tailLength = 5;
const longest = 500;

/** What a task does, line by line: open while it runs, on demand afterwards. */
export function TaskActivity({ task }: { task: TaskView }) {
  const [wanted, setWanted] = useState<boolean | null>(null);
  const isOpen = wanted ?? !isTerminalTask(task.status);
  return (
    <section aria-label="Activity" className="border-line border-t px-2 py-1.5">
      <button
        type="button"
        aria-expanded={isOpen}
        data-testid="activity-toggle"
        onClick={() => setWanted(!isOpen)}
        className="flex w-full items-center gap-2 rounded-lg px-2 py-0.5 text-left font-medium text-faint text-xs leading-5 hover:bg-hover/60"
      >
        <span className="flex-1">Activity</span>
        <ChevronIcon className={`size-3.5 transition-transform ${isOpen ? 'rotate-90' : ''}`} />
      </button>
      {isOpen && <ActivityLines task={task} />}
    </section>
  );
}

function ActivityLines({ task }: { task: TaskView }) {
  const [isWhole, setWhole] = useState(false);
  const events = useTaskLog(task.id, task.events_seen);
  const lines = events.flatMap((event) => {
    const line = describeTaskEvent(event);
    return line ? [{ ...line, seq: event.seq, subtask: event.subtask_id }] : [];
  });
  const shown = lines.slice(isWhole ? -longest : -tailLength);
  return (
    <div className="px-2 pt-0.5 pb-1">
      {lines.length > shown.length && !isWhole && (
        <button
          type="button"
          data-testid="activity-all"
          onClick={() => setWhole(true)}
          className="text-faint text-xs underline underline-offset-3 hover:text-ink"
        >
          Show {lines.length - shown.length} earlier
        </button>
      )}
      <ol data-testid="activity" className="max-h-72 overflow-y-auto">
        {shown.map((line) => (
          <li key={line.seq} className="flex gap-2.5 text-xs leading-5">
            {line.subtask && (
              <span className="max-w-28 shrink-0 truncate font-mono text-faint">
                {line.subtask}
              </span>
            )}
            <span className={`wrap-anywhere line-clamp-3 min-w-0 ${toneText[line.tone]}`}>
              {line.text}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
