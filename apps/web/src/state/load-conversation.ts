import type { Message, TaskListItem, Turn } from '@loom/shared/api';
import type { Approval } from '@loom/shared/approval';
import { isTerminalTurn } from '@loom/shared/statuses';
import {
  fetchMessagesBefore,
  fetchSession,
  fetchTurn,
  listApprovals,
  listTasks,
  type SessionWithCursor,
} from '../http/gateway.ts';

interface LoadedConversation {
  session: SessionWithCursor;
  messages: Message[];
  turns: Turn[];
  tasks: TaskListItem[];
  approvals: Approval[];
}

/** Reads the end of a conversation. The session comes first: its cursor is older than all the rest. */
export async function loadConversation(
  sessionId: string,
  signal: AbortSignal,
): Promise<LoadedConversation> {
  const session = await fetchSession(sessionId, signal);
  const [messages, tasks, approvals] = await Promise.all([
    fetchMessagesBefore(sessionId, session.message_count + 1, signal),
    listTasks(sessionId, signal),
    listApprovals(sessionId, signal),
  ]);
  const turns = await loadOpenTurns(sessionId, messages, signal);
  return { session, messages, tasks, approvals, turns };
}

/** The last turns back to the first that is over: turns of a session end in the order they began. */
async function loadOpenTurns(
  sessionId: string,
  messages: Message[],
  signal: AbortSignal,
): Promise<Turn[]> {
  const ids = [...new Set(messages.flatMap(({ turn_id }) => (turn_id === null ? [] : [turn_id])))];
  const turns: Turn[] = [];
  for (const id of ids.reverse().slice(0, 20)) {
    const turn = await fetchTurn(sessionId, id, signal);
    turns.unshift(turn);
    if (isTerminalTurn(turn.status)) break;
  }
  return turns;
}
