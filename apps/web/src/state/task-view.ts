import type { Subtask, TaskListItem } from '@loom/shared/api';
import type { SubtaskStatus, TaskStatus } from '@loom/shared/statuses';
import { callText } from '../format/describe-task-event.ts';
import type { StreamEvent } from '../http/stream-event.ts';

/** A task as the page knows it: from a list without its subtasks, from its own address with them. */
export type TaskView = TaskListItem & {
  subtasks: Subtask[] | null;
  /** Someone asked for it to stop and it has not stopped yet. */
  is_stopping: boolean;
  /** Subtask id → the tool call it made last, in a few words. */
  activity: Record<string, string>;
  /** Grows with each event of the task: its log has something new. */
  events_seen: number;
};

/** What a task has that no answer of the gateway carries. */
export const newTask = { subtasks: null, is_stopping: false, activity: {}, events_seen: 0 };

const taskStatusAfter: Record<string, TaskStatus> = {
  'task.queued': 'queued',
  'task.planning': 'planning',
  'task.plan_ready': 'ready',
  'task.running': 'running',
  'task.completed': 'completed',
  'task.failed': 'failed',
  'task.cancelled': 'cancelled',
};

const subtaskStatusAfter: Record<string, SubtaskStatus> = {
  'subtask.queued': 'queued',
  'subtask.started': 'running',
  'subtask.verifying': 'verifying',
  'verification.started': 'verifying',
  'subtask.completed': 'completed',
  'subtask.failed': 'failed',
  'subtask.retrying': 'queued',
  'subtask.skipped': 'skipped',
  'subtask.blocked': 'blocked',
};

/** True for events after which a task's own address says something new. */
export function changesTask(event: StreamEvent): boolean {
  return event.task_id !== undefined && /^(task|subtask|verification|approval)\./.test(event.type);
}

/** Shows at once what an event says of statuses; the rest comes with the next reading of the task. */
export function applyTaskEvent(before: TaskView, event: StreamEvent): TaskView {
  const task = { ...before, events_seen: before.events_seen + 1 };
  const status = taskStatusAfter[event.type];
  if (status !== undefined) return { ...task, status, is_stopping: false };
  if (event.type === 'task.cancel_requested') return { ...task, is_stopping: true };
  if (event.type === 'tool.call' && event.subtask_id !== undefined) {
    const activity = {
      ...task.activity,
      [event.subtask_id]: callText(String(event.data.tool ?? ''), event.data.arguments),
    };
    return { ...task, activity };
  }
  if (event.type === 'tool.progress' && event.subtask_id !== undefined) {
    const line =
      String(event.data.text ?? '')
        .trimEnd()
        .split('\n')
        .at(-1) ?? '';
    if (line === '') return task;
    const shown = `${String(event.data.tool ?? '')}: ${line.slice(0, 200)}`;
    return { ...task, activity: { ...task.activity, [event.subtask_id]: shown } };
  }
  const subtaskStatus = subtaskStatusAfter[event.type];
  if (subtaskStatus === undefined || task.subtasks === null) return task;
  return {
    ...task,
    subtasks: task.subtasks.map((subtask) =>
      subtask.id === event.subtask_id ? { ...subtask, status: subtaskStatus } : subtask,
    ),
  };
}
