import type { Task } from '@loom/shared/api';
import { isTerminalSubtask } from '@loom/shared/statuses';
import { z } from 'zod';
import type { StreamEvent } from '../stream-event.ts';

const planSchema = z.object({ subtasks: z.array(z.object({ id: z.string() })) });
const endings = ['subtask.completed', 'subtask.failed', 'subtask.skipped', 'subtask.blocked'];

/** How far the tasks of a conversation are. */
export interface TaskCounts {
  hear(event: StreamEvent): void;
  /** A task as it was found. */
  set(task: Pick<Task, 'id' | 'subtasks'>): void;
  /** Ended subtasks and all of them; null while the plan is not known. */
  of(taskId: string): { ended: number; all: number } | null;
}

/** Starts without a task. A subtask that is tried again counts as open until it ends anew. */
export function createTaskCounts(): TaskCounts {
  const tasks = new Map<string, Map<string, boolean>>();

  return {
    hear(event) {
      const { task_id, subtask_id, type } = event;
      if (!task_id) return;
      if (type === 'task.plan_ready') {
        const before = tasks.get(task_id);
        const ids = planSchema.safeParse(event.data).data?.subtasks.map(({ id }) => id) ?? [];
        tasks.set(task_id, new Map(ids.map((id) => [id, before?.get(id) ?? false])));
      } else if (subtask_id) {
        const known = tasks.get(task_id);
        if (endings.includes(type)) known?.set(subtask_id, true);
        else if (type === 'subtask.started') known?.set(subtask_id, false);
      }
    },
    set: ({ id, subtasks }) =>
      void tasks.set(id, new Map(subtasks.map((sub) => [sub.id, isTerminalSubtask(sub.status)]))),
    of(taskId) {
      const subtasks = tasks.get(taskId);
      if (subtasks === undefined || subtasks.size === 0) return null;
      return { ended: [...subtasks.values()].filter(Boolean).length, all: subtasks.size };
    },
  };
}
