import { type Task, taskSchema } from '@loom/shared/api';
import { type EventType, terminalTaskEvents } from '@loom/shared/events';
import { isTerminalTask } from '@loom/shared/statuses';
import { type ApiClient, readAs } from '../api-client.ts';
import { taskPath } from '../follow-task.ts';
import type { StreamEvent } from '../stream-event.ts';
import { type Deferred, deferred } from './deferred.ts';

/** Tasks that were set going from a conversation, until they end. */
export interface TaskWatch {
  start(body: { goal: string; session_id: string }): Promise<{ id: string; ended: Promise<Task> }>;
  hear(event: StreamEvent): void;
  /** For when something may have been missed. */
  lookAgain(): Promise<void>;
}

/** The session's events say when to look; what a task became is what the gateway says of it. */
export function createTaskWatch(client: ApiClient): TaskWatch {
  const open = new Map<string, Deferred<Task>>();

  const look = async (id: string) => {
    const task = readAs(taskSchema, await client.request('GET', taskPath(id)));
    if (!isTerminalTask(task.status)) return;
    open.get(id)?.resolve(task);
    open.delete(id);
  };

  return {
    async start(body) {
      const accepted = await client.request('POST', '/api/tasks', body);
      const { id } = readAs(taskSchema.pick({ id: true }), accepted);
      const ended = deferred<Task>();
      open.set(id, ended);
      // Its end may have been heard before its name was known.
      await look(id);
      return { id, ended: ended.promise };
    },
    hear({ type, task_id }) {
      if (!task_id || !open.has(task_id)) return;
      if (!terminalTaskEvents.includes(type as EventType)) return;
      look(task_id).catch((error) => open.get(task_id)?.reject(error));
    },
    async lookAgain() {
      for (const id of [...open.keys()]) await look(id);
    },
  };
}
