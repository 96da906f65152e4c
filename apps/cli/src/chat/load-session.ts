import { type Message, taskListItemSchema, taskSchema, turnSchema } from '@loom/shared/api';
import { isTerminalTask } from '@loom/shared/statuses';
import { z } from 'zod';
import { type ApiClient, readAs } from '../api-client.ts';
import { sessionPath } from '../conversation.ts';
import { taskPath } from '../follow-task.ts';
import type { OpenQuestions } from './open-questions.ts';
import { readExchanges } from './read-exchanges.ts';
import { readPending } from './read-pending.ts';
import type { TaskCounts } from './task-counts.ts';
import type { TurnBoard } from './turn-board.ts';

/** More turns than these are hardly ever open at once in one session. */
const lookedAt = 10;

const tasksSchema = z.object({ items: z.array(taskListItemSchema) });

/** What is known of a session's work under way. */
export interface SessionWork {
  board: TurnBoard;
  questions: OpenQuestions;
  counts: TaskCounts;
}

/** Finds out what goes on in a session right now; the answer is the end of its archive. */
export async function loadSession(
  client: ApiClient,
  sessionId: string,
  { board, questions, counts }: SessionWork,
): Promise<Message[]> {
  const { messages } = await readExchanges(client, sessionId, { before: null, count: lookedAt });
  for (const id of turnsOf(messages)) {
    const path = `${sessionPath(sessionId)}/turns/${encodeURIComponent(id)}`;
    const turn = readAs(turnSchema, await client.request('GET', path));
    board.set(turn, turn.messages);
  }
  const of = new URLSearchParams({ session_id: sessionId });
  const pending = await readPending(client, sessionId);
  for (const { approval_id } of questions.list()) {
    if (!pending.some(({ id }) => id === approval_id)) questions.close(approval_id);
  }
  for (const approval of pending) questions.add(approval);
  const listed = readAs(tasksSchema, await client.request('GET', `/api/tasks?${of}`));
  for (const { id } of listed.items.filter(({ status }) => !isTerminalTask(status))) {
    counts.set(readAs(taskSchema, await client.request('GET', taskPath(id))));
  }
  return messages;
}

/** The newest turns that have messages here, oldest first. */
function turnsOf(messages: Message[]): string[] {
  const ids = messages.map(({ turn_id }) => turn_id).filter((id) => id !== null);
  return [...new Set(ids)].slice(-lookedAt);
}
