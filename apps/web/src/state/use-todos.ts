import type { Todo } from '@loom/shared/todo';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { listTodos } from '../http/gateway.ts';
import type { ConversationState } from './conversation-state.ts';

const todoTool = /^(create|list|complete)_todo$/;

/** What the running turn has set out to do; asked for once it has made a list, and after each change. */
export function useTodos(
  sessionId: string,
  turnId: string | null,
  messages: ConversationState['messages'],
): Todo[] {
  const changes = turnId === null ? 0 : countTodoCalls(messages, turnId);
  // Of a long turn the beginning is not loaded, and the list may have been made there.
  const mayHave = changes > 0 || (messages[0]?.turn_id === turnId && messages[0]?.role !== 'user');
  const query = useQuery({
    queryKey: ['todos', turnId, changes],
    queryFn: ({ signal }) => listTodos(sessionId, turnId ?? '', signal),
    enabled: turnId !== null && mayHave === true,
    placeholderData: keepPreviousData,
  });
  return (query.data ?? []).filter((todo) => todo.turn_id === turnId);
}

/** How many answered calls of a turn had to do with its list. */
function countTodoCalls(messages: ConversationState['messages'], turnId: string): number {
  return messages.filter(
    ({ role, turn_id, tool_name }) =>
      turn_id === turnId &&
      role === 'tool' &&
      tool_name !== null &&
      (todoTool.test(tool_name) || tool_name === 'run_tool'),
  ).length;
}
