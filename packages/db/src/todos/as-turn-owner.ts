import type { Todo } from '@loom/shared/todo';
import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from '../database.ts';
import { lockUnits } from '../task-rows.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { readTurnTodos } from './load-turn-todos.ts';

/** Another worker runs the turn by now: nothing was written. */
export interface LostTurn {
  outcome: 'lost';
}

/** Changes the todos of a turn under the fence of its owner, one call at a time. */
export async function asTurnOwner<T>(
  db: Database,
  unit: ClaimedUnit,
  change: (client: Transaction, todos: Todo[]) => Promise<T>,
): Promise<T | LostTurn> {
  return inTransaction(db, async (client) => {
    const { unit_id, epoch, tenant_id } = unit;
    const turn_id = unit.turn_id ?? '';
    const [units, todos] = await Promise.all([
      lockUnits(client, [unit_id]),
      readTurnTodos(client, { tenant_id, turn_id }),
    ]);
    const row = units.get(unit_id);
    if (row?.status !== 'claimed' || row.epoch !== epoch) return { outcome: 'lost' };
    return change(client, todos);
  });
}
