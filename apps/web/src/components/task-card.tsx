import { isTerminalTask } from '@loom/shared/statuses';
import { useEffect, useId, useState } from 'react';
import type { TaskView } from '../state/task-view.ts';
import { CancelTask } from './cancel-task.tsx';
import { ChevronIcon } from './icons.tsx';
import { SubtaskRow } from './subtask-row.tsx';
import { TaskOutcome } from './task-outcome.tsx';
import { TaskProgress } from './task-progress.tsx';
import { TaskStatusBadge } from './task-status-badge.tsx';

interface TaskCardProps {
  task: TaskView;
  startsOpen: boolean;
  /** Called when the card shows a task of which only the list entry is known. */
  onNeeded: (taskId: string) => void;
}

/** A delegated task inside the conversation: its goal, its steps as they happen, its end. */
export function TaskCard({ task, startsOpen, onNeeded }: TaskCardProps) {
  const isOver = isTerminalTask(task.status);
  const [isOpen, setOpen] = useState(startsOpen || !isOver);
  const bodyId = useId();
  const needsSubtasks = isOpen && task.subtasks === null;
  useEffect(() => {
    if (needsSubtasks) onNeeded(task.id);
  }, [needsSubtasks, onNeeded, task.id]);
  const subtasks = task.subtasks ?? [];
  const done = subtasks.filter(({ status }) => status === 'completed').length;
  return (
    <section
      data-testid="task-card"
      data-status={task.status}
      data-task={task.id}
      aria-label="Delegated task"
      className="appear overflow-hidden rounded-2xl border border-line bg-surface shadow-[0_1px_2px_rgb(0_0_0/0.04)]"
    >
      <header className="px-4 pt-3.5 pb-3">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={bodyId}
          onClick={() => setOpen(!isOpen)}
          className="flex w-full items-start gap-3 text-left"
        >
          <span className="wrap-anywhere line-clamp-3 min-w-0 flex-1 font-semibold leading-snug">
            {task.goal}
          </span>
          <ChevronIcon
            className={`mt-0.5 text-faint transition-transform ${isOpen ? 'rotate-90' : ''}`}
          />
        </button>
        <div className="mt-2 flex min-h-6.5 items-center gap-3">
          <TaskStatusBadge status={task.status} isStopping={task.is_stopping} />
          <TaskProgress task={task} done={done} total={subtasks.length} />
          {!isOver && <CancelTask taskId={task.id} isStopping={task.is_stopping} />}
        </div>
      </header>
      <div id={bodyId} hidden={!isOpen}>
        {subtasks.length > 0 && (
          <ol className="border-line border-t px-2 py-1.5">
            {subtasks.map((subtask) => (
              <SubtaskRow key={subtask.id} subtask={subtask} activity={task.activity[subtask.id]} />
            ))}
          </ol>
        )}
      </div>
      {isOver && <TaskOutcome task={task} isOpen={isOpen} />}
    </section>
  );
}
