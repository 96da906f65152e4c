import { type Task, taskSchema } from '@loom/shared/api';
import { type EventType, terminalTaskEvents } from '@loom/shared/events';
import { isTerminalTask } from '@loom/shared/statuses';
import { z } from 'zod';
import { type ApiClient, readAs } from './api-client.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { followEvents } from './follow-events.ts';
import { renderTaskEvent } from './render-task-event.ts';
import type { Terminal } from './terminal.ts';

const pageSchema = z.object({ items: z.array(z.unknown()) });

/** The path of a task in the API. */
export function taskPath(id: string): string {
  return `/api/tasks/${encodeURIComponent(id)}`;
}

/** The path of one of its subtasks. */
export function subtaskPath(taskId: string, subtaskId: string): string {
  return `${taskPath(taskId)}/subtasks/${encodeURIComponent(subtaskId)}`;
}

/** Shows a task from its beginning until it has ended; the answer is the task as it then stands. */
export async function followTask(client: ApiClient, terminal: Terminal, id: string): Promise<Task> {
  const stop = new AbortController();
  const events = followEvents(client, `${taskPath(id)}/events`, {
    after: null,
    signal: stop.signal,
    onLost: () => terminal.note(terminal.colors.dim('connection lost, trying again')),
  });
  try {
    for await (const { event, cursor } of events) {
      terminal.emit(event);
      const line = renderTaskEvent(event, terminal.colors);
      if (line !== null) terminal.note(line);
      const mayBeOver =
        event.type === 'stream.reset' || terminalTaskEvents.includes(event.type as EventType);
      if (mayBeOver && (await isOver(client, id, cursor))) break;
    }
  } finally {
    stop.abort();
  }
  return readAs(taskSchema, await client.request('GET', taskPath(id)));
}

/** A retried task has an end in the middle of its log: only an end with nothing after it counts. */
async function isOver(client: ApiClient, id: string, cursor: string | null): Promise<boolean> {
  const task = readAs(taskSchema, await client.request('GET', taskPath(id)));
  if (!isTerminalTask(task.status)) return false;
  if (cursor === null) return true;
  const after = encodeURIComponent(cursor);
  const page = await client.request('GET', `${taskPath(id)}/events?after=${after}&limit=1`);
  return readAs(pageSchema, page).items.length === 0;
}

/** What a task's end means for a script. */
export function taskExitCode(task: Pick<Task, 'status' | 'verification'>): ExitCode {
  if (task.status !== 'completed') return exitCodes.failed;
  return task.verification === 'verified' ? exitCodes.ok : exitCodes.not_verified;
}
