import { isOpenTodo, type Todo, type TodoStatus, todoLimits } from '@loom/shared/todo';
import { todoCounts } from './todo-counts.ts';
import { todoLine } from './todo-line.ts';

/** What `list_todo` answers: the counts of all, then those that were asked for with all their parts. */
export function describeTodos(
  todos: readonly Todo[],
  status: TodoStatus | 'all' | undefined,
): string {
  if (todos.length === 0) return 'This turn has no todos. Make some with create_todo.';
  const shown = todos.filter((todo) => {
    if (status === undefined) return isOpenTodo(todo);
    return status === 'all' || todo.status === status;
  });
  const heading = `${todos.length} in all: ${todoCounts(todos)}.`;
  if (shown.length === 0) return `${heading} None is ${status ?? 'open'}.`;
  return [heading, ...shown.map(describeTodo)].join('\n');
}

function describeTodo(todo: Todo): string {
  const parts: [label: string, text: string][] = [
    ['Context', todo.context],
    ['Done when', todo.completion_criteria],
    ['For', todo.agent_type],
    ['Outcome', todo.outcome],
  ];
  const lines = parts
    .filter(([, text]) => text !== '')
    .map(([label, text]) => `  ${label}: ${text.replaceAll('\n', '\n  ')}`);
  return [`- ${todoLine(todo, todoLimits.title)} [${todo.status}]`, ...lines].join('\n');
}
