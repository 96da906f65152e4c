import { isTerminalTask } from '@loom/shared/statuses';
import { elapsed } from '../format/elapsed.ts';
import type { TaskView } from '../state/task-view.ts';
import { useNow } from '../state/use-now.ts';

interface TaskProgressProps {
  task: TaskView;
  done: number;
  total: number;
}

/** How far a task is and how long it has taken. */
export function TaskProgress({ task, done, total }: TaskProgressProps) {
  const isRunning = !isTerminalTask(task.status);
  const now = useNow(isRunning);
  const end = task.ended_at === null ? now : Date.parse(task.ended_at);
  const time = elapsed(end - Date.parse(task.started_at ?? task.created_at));
  return (
    <div className="flex min-w-fit flex-1 items-center gap-3 text-faint text-xs">
      {total > 0 && isRunning && (
        <progress
          max={total}
          value={done}
          aria-label="Steps done"
          className="h-1 w-24 max-sm:w-12 appearance-none overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:rounded-full [&::-webkit-progress-value]:bg-accent [&::-webkit-progress-value]:transition-[inline-size] [&::-webkit-progress-value]:duration-500"
        />
      )}
      <span data-testid="task-progress" className="whitespace-nowrap tabular-nums">
        {total > 0 && `${done} of ${total} steps · `}
        {time}
      </span>
    </div>
  );
}
