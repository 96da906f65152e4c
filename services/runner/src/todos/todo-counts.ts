import { countTodos, type Todo } from '@loom/shared/todo';

/** How many todos there are of each status, as "2 pending, 1 completed". */
export function todoCounts(todos: readonly Pick<Todo, 'status'>[]): string {
  return Object.entries(countTodos(todos))
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ');
}
