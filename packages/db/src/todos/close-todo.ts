import { isOpenTodo, type TodoStatus } from '@loom/shared/todo';
import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from '../database.ts';
import { asTurnOwner, type LostTurn } from './as-turn-owner.ts';

interface CloseTodo {
  unit: ClaimedUnit;
  todo_id: string;
  status: 'completed' | 'cancelled';
  /** What was done, or why it is not needed. */
  result: string;
}

export type TodoClosed =
  /** Closed with this, now or by an earlier run of the same call; `open` are left. */
  | { outcome: 'closed'; title: string; open: number }
  /** It was closed before, with another status or another result. */
  | { outcome: 'closed_before'; title: string; status: TodoStatus }
  /** The turn has no such todo. */
  | { outcome: 'unknown' }
  | LostTurn;

/** Closes a todo of the unit's own turn. */
export function closeTodo(db: Database, params: CloseTodo): Promise<TodoClosed> {
  const { unit, todo_id, status, result } = params;
  return asTurnOwner<TodoClosed>(db, unit, async (client, todos) => {
    const todo = todos.find(({ id }) => id === todo_id);
    if (todo === undefined) return { outcome: 'unknown' };
    const { title } = todo;
    const wasOpen = isOpenTodo(todo);
    const isSame = todo.status === status && todo.outcome === result;
    if (!wasOpen && !isSame) return { outcome: 'closed_before', title, status: todo.status };
    if (wasOpen) {
      await client.query({
        name: 'close-todo',
        text: `UPDATE todos SET status = $3, outcome = $4, completed_at = now()
          WHERE id = $1 AND tenant_id = $2`,
        values: [todo_id, unit.tenant_id, status, result],
      });
    }
    const others = todos.filter((one) => one !== todo && isOpenTodo(one));
    return { outcome: 'closed', title, open: others.length };
  });
}
