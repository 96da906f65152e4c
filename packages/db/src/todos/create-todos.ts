import { newId } from '@loom/shared/ids';
import { isOpenTodo, type NewTodo, type Todo, todoLimits } from '@loom/shared/todo';
import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from '../database.ts';
import type { Transaction } from '../transaction.ts';
import { asTurnOwner, type LostTurn } from './as-turn-owner.ts';
import { readTurnTodos } from './load-turn-todos.ts';
import { placeTodos } from './place-todos.ts';

interface CreateTodos {
  unit: ClaimedUnit;
  call_key: string;
  items: readonly NewTodo[];
}

export type TodosCreated =
  /** All todos of the turn, and which of them this call made. */
  | { outcome: 'created'; ids: string[]; todos: Todo[] }
  /** Too many: none was made. */
  | { outcome: 'full'; open: number; in_all: number }
  | LostTurn;

/** Adds todos to a turn, all or none; a call that runs again finds what it made and makes nothing. */
export function createTodos(db: Database, params: CreateTodos): Promise<TodosCreated> {
  const { unit, call_key, items } = params;
  return asTurnOwner<TodosCreated>(db, unit, async (client, todos) => {
    const earlier = await madeBy(client, unit, call_key);
    if (earlier.length > 0) return { outcome: 'created', ids: earlier, todos };
    const open = todos.filter(isOpenTodo).length;
    const in_all = todos.length;
    const { open: maxOpen, in_all: maxInAll } = todoLimits;
    if (open + items.length > maxOpen || in_all + items.length > maxInAll) {
      return { outcome: 'full', open, in_all };
    }
    const added = items.map((item) => ({ ...item, id: newId('todo'), open: true }));
    const known = todos.map((todo) => ({ id: todo.id, open: isOpenTodo(todo) }));
    const order = placeTodos(known, added).map(({ id }) => id);
    await insert(client, params, added);
    await setPlaces(client, order);
    const { tenant_id } = unit;
    const all = await readTurnTodos(client, { tenant_id, turn_id: unit.turn_id ?? '' });
    return { outcome: 'created', ids: added.map(({ id }) => id), todos: all };
  });
}

async function madeBy(client: Transaction, unit: ClaimedUnit, call_key: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>({
    name: 'find-todos-of-call',
    text: 'SELECT id FROM todos WHERE turn_id = $1 AND tenant_id = $2 AND call_key = $3',
    values: [unit.turn_id, unit.tenant_id, call_key],
  });
  return rows.map(({ id }) => id);
}

async function insert(
  client: Transaction,
  { unit, call_key }: CreateTodos,
  added: readonly (NewTodo & { id: string })[],
): Promise<void> {
  await client.query({
    name: 'insert-todos',
    text: `INSERT INTO todos (id, tenant_id, session_id, turn_id, call_key, position, title, context,
        completion_criteria, agent_type)
      SELECT id, $2, $3, $4, $5, 0, title, coalesce(context, ''), coalesce(completion_criteria, ''),
        coalesce(agent_type, '')
      FROM jsonb_to_recordset($1::jsonb) AS r(id text, title text, context text,
        completion_criteria text, agent_type text)`,
    values: [JSON.stringify(added), unit.tenant_id, unit.session_id, unit.turn_id, call_key],
  });
}

/** Numbers the todos of a turn in this order. */
async function setPlaces(client: Transaction, ids: readonly string[]): Promise<void> {
  await client.query({
    name: 'place-todos',
    text: `UPDATE todos t SET position = place.number - 1
      FROM unnest($1::text[]) WITH ORDINALITY AS place(id, number)
      WHERE t.id = place.id AND t.position <> place.number - 1`,
    values: [ids],
  });
}
