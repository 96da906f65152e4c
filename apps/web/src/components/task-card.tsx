import type { Approval } from '@loom/shared/approval';
import { isTerminalTask } from '@loom/shared/statuses';
import { useEffect, useId, useState } from 'react';
import type { TaskView } from '../state/task-view.ts';
import { ApprovalCard } from './approval-card.tsx';
import { CancelTask } from './cancel-task.tsx';
import { ChevronIcon } from './icons.tsx';
import { SteerTask } from './steer-task.tsx';
import { SubtaskRow } from './subtask-row.tsx';
import { TaskActivity } from './task-activity.tsx';
import { TaskFiles } from './task-files.tsx';
import { TaskOutcome } from './task-outcome.tsx';
import { TaskProgress } from './task-progress.tsx';
import { TaskStatusBadge } from './task-status-badge.tsx';

interface TaskCardProps {
  task: TaskView;
  approvals: Approval[];
  startsOpen: boolean;
  /** Called when the card shows a task of which only the list entry is known. */
  onNeeded: (taskId: string) => void;
  onApproval: (approval: Approval) => void;
}

/** A delegated task inside the conversation: its goal, its steps as they happen, its end. */
export function TaskCard(props: TaskCardProps) {
  const { task, approvals, startsOpen, onNeeded, onApproval } = props;
  const isOver = isTerminalTask(task.status);
  const [isOpen, setOpen] = useState(startsOpen || !isOver);
  const [isSteering, setSteering] = useState(false);
  const bodyId = useId();
  const needsSubtasks = isOpen && task.subtasks === null;
  useEffect(() => {
    if (needsSubtasks) onNeeded(task.id);
  }, [needsSubtasks, onNeeded, task.id]);
  const subtasks = task.subtasks ?? [];
  const done = subtasks.filter(({ status }) => status === 'completed').length;
  const asked = approvals.filter(({ status }) => isOpen || status === 'pending');
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
        <div className="mt-2 flex min-h-6.5 flex-wrap items-center gap-x-3 gap-y-2">
          <TaskStatusBadge status={task.status} isStopping={task.is_stopping} />
          <TaskProgress task={task} done={done} total={subtasks.length} />
          {!isOver && (
            <>
              <button
                type="button"
                data-testid="steer"
                aria-expanded={isSteering}
                title="Say something to this task"
                onClick={() => setSteering(!isSteering)}
                className="rounded-lg border border-line-strong px-2.5 py-0.5 text-soft text-xs leading-5 hover:bg-hover"
              >
                Steer
              </button>
              <CancelTask taskId={task.id} isStopping={task.is_stopping} />
            </>
          )}
        </div>
      </header>
      {isSteering && !isOver && <SteerTask taskId={task.id} onClose={() => setSteering(false)} />}
      {asked.length > 0 && (
        <div className="space-y-2 border-line border-t px-4 py-3">
          {asked.map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} onDecided={onApproval} />
          ))}
        </div>
      )}
      <div id={bodyId} hidden={!isOpen}>
        {subtasks.length > 0 && (
          <ol className="border-line border-t px-2 py-1.5">
            {subtasks.map((subtask) => (
              <SubtaskRow key={subtask.id} subtask={subtask} activity={task.activity[subtask.id]} />
            ))}
          </ol>
        )}
        {isOpen && <TaskActivity task={task} />}
        {isOpen && <TaskFiles task={task} />}
      </div>
      {isOver && <TaskOutcome task={task} isOpen={isOpen} />}
    </section>
  );
}
