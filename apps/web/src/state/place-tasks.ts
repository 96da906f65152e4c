import type { Message } from '@loom/shared/api';
import type { ToolCall } from '@loom/shared/chat';
import type { TaskView } from './task-view.ts';

interface TaskPlaces {
  /** Tool call id → the task it started. */
  by_call: Map<string, string>;
  /** Message number → tasks started from outside at that time. */
  after_message: Map<number, string[]>;
  unplaced: string[];
}

/**
 * Finds where each task belongs in the conversation: at the `delegate_task` call of its turn with
 * the same goal, else at that turn's next free call, else after the last message older than it.
 */
export function placeTasks(messages: Message[], tasks: TaskView[]): TaskPlaces {
  const places: TaskPlaces = { by_call: new Map(), after_message: new Map(), unplaced: [] };
  const oldest = messages[0];
  const ordered = tasks.toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  const rest = ordered.filter((task) => !placeAtCall(task, messages, places, hasGoal(task)));
  for (const task of rest) {
    if (placeAtCall(task, messages, places, () => true)) continue;
    const before = messages.findLast((message) => message.created_at <= task.created_at);
    if (before) {
      const there = places.after_message.get(before.number) ?? [];
      places.after_message.set(before.number, [...there, task.id]);
    } else if (oldest === undefined || oldest.number === 1) {
      places.unplaced.push(task.id);
    }
  }
  return places;
}

function hasGoal(task: TaskView): (call: ToolCall) => boolean {
  return ({ arguments: args }) =>
    args !== null && typeof args === 'object' && 'goal' in args && args.goal === task.goal;
}

function placeAtCall(
  task: TaskView,
  messages: Message[],
  places: TaskPlaces,
  accepts: (call: ToolCall) => boolean,
): boolean {
  if (task.turn_id === null) return false;
  const match = messages
    .filter((message) => message.turn_id === task.turn_id)
    .flatMap((message) => message.tool_calls ?? [])
    .find(
      (candidate) =>
        candidate.name === 'delegate_task' &&
        !places.by_call.has(candidate.id) &&
        accepts(candidate),
    );
  if (match === undefined) return false;
  places.by_call.set(match.id, task.id);
  return true;
}
