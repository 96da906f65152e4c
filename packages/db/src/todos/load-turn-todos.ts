import type { Todo } from '@loom/shared/todo';
import type pg from 'pg';
import type { Database } from '../database.ts';
import { toIso, toIsoOrNull } from '../read/row-values.ts';

interface TurnKey {
  tenant_id: string;
  turn_id: string;
}

type Times = 'created_at' | 'started_at' | 'completed_at';
interface TodoRow extends Omit<Todo, Times> {
  created_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
}

/** The todos of one turn, in order; those of other turns are never among them. */
export function loadTurnTodos(db: Database, key: TurnKey): Promise<Todo[]> {
  return readTurnTodos(db.pool, key);
}

/** The same inside a transaction. */
export async function readTurnTodos(
  client: Pick<pg.ClientBase, 'query'> | pg.Pool,
  { tenant_id, turn_id }: TurnKey,
): Promise<Todo[]> {
  const { rows } = await client.query<TodoRow>({
    name: 'read-turn-todos',
    text: `SELECT id, turn_id, title, context, completion_criteria, agent_type, status,
        position AS priority, outcome, created_at, started_at, completed_at
      FROM todos WHERE turn_id = $1 AND tenant_id = $2 ORDER BY position`,
    values: [turn_id, tenant_id],
  });
  return rows.map((row) => ({
    ...row,
    created_at: toIso(row.created_at),
    started_at: toIsoOrNull(row.started_at),
    completed_at: toIsoOrNull(row.completed_at),
  }));
}
