import { nothingSpent } from '@loom/shared/budget';
import { newId } from '@loom/shared/ids';
import type { NewMemory } from '@loom/shared/memory';
import type { ClaimedUnit } from '@loom/shared/work';
import type pg from 'pg';
import { addSpent, lockScopes, writeScopes } from '../budget-scopes.ts';
import type { Database } from '../database.ts';
import { inTransaction } from '../transaction.ts';

/** What an extraction's calls have cost; they do not count as calls of the task. */
export interface ExtractionCost {
  tokens: number;
  cost_micros: number;
}

/** Stores what was learnt and ends the unit; false when it is someone else's by now. */
export function finishExtraction(
  db: Database,
  unit: ClaimedUnit,
  found: { entries: NewMemory[]; cost: ExtractionCost },
): Promise<boolean> {
  return asOwner(db, unit, found.cost, async (client) => {
    await Promise.all([
      insertEntries(client, unit, found.entries),
      client.query({
        name: 'close-extraction',
        text: `UPDATE units SET status = 'done', lease_until = NULL, updated_at = now() WHERE id = $1`,
        values: [unit.unit_id],
      }),
    ]);
  });
}

/** Gives the worker back until the model is likely to answer again; false when the unit is lost. */
export function parkExtraction(
  db: Database,
  unit: ClaimedUnit,
  { seconds, cost }: { seconds: number; cost: ExtractionCost },
): Promise<boolean> {
  return asOwner(db, unit, cost, async (client) => {
    await client.query({
      name: 'park-extraction',
      text: `UPDATE units SET status = 'parked', parked_for = 'model', parked_at = now(),
          available_at = now() + $2 * interval '1 second', model_parks = model_parks + 1,
          lease_until = NULL, starts = 0, last_error = NULL, updated_at = now()
        WHERE id = $1`,
      values: [unit.unit_id, seconds],
    });
  });
}

/** Writes for the owner of a unit, and charges its task and the budgets above; locks in the usual order. */
async function asOwner(
  db: Database,
  unit: ClaimedUnit,
  cost: ExtractionCost,
  write: (client: pg.ClientBase) => Promise<void>,
): Promise<boolean> {
  const charged = cost.tokens > 0 || cost.cost_micros > 0;
  return inTransaction(db, async (client) => {
    const [limited, owned] = await Promise.all([
      charged && lockTask(client, unit),
      lock(client, unit),
    ]);
    if (!owned) return false;
    if (charged) await charge(client, unit, cost, limited);
    await write(client);
    return true;
  });
}

/** Locks the task; true when a budget above it limits something. */
async function lockTask(client: pg.ClientBase, { task_id }: ClaimedUnit): Promise<boolean> {
  const { rows } = await client.query<{ limited: boolean }>({
    name: 'lock-extracted-task',
    text: `SELECT EXISTS (SELECT 1 FROM budgets b WHERE b.id IN (tasks.session_id, tasks.tenant_id)) AS limited
      FROM tasks WHERE id = $1 FOR UPDATE`,
    values: [task_id],
  });
  return rows[0]?.limited === true;
}

async function lock(client: pg.ClientBase, { unit_id, epoch }: ClaimedUnit): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'lock-extraction',
    text: `SELECT 1 FROM units WHERE id = $1 AND epoch = $2 AND status = 'claimed' FOR UPDATE`,
    values: [unit_id, epoch],
  });
  return rowCount === 1;
}

async function charge(
  client: pg.ClientBase,
  unit: ClaimedUnit,
  cost: ExtractionCost,
  limited: boolean,
): Promise<void> {
  const [scopes] = await Promise.all([
    limited ? lockScopes(client, [unit]) : [],
    client.query({
      name: 'charge-extraction',
      text: `UPDATE tasks SET tokens_used = tokens_used + $2, cost_micros = cost_micros + $3
        WHERE id = $1`,
      values: [unit.task_id, cost.tokens, cost.cost_micros],
    }),
  ]);
  const spent = { ...nothingSpent, ...cost };
  await writeScopes(
    client,
    scopes.map((scope) => ({ ...scope, spent: addSpent(scope.spent, spent) })),
  );
}

async function insertEntries(
  client: pg.ClientBase,
  unit: ClaimedUnit,
  entries: NewMemory[],
): Promise<void> {
  if (entries.length === 0) return;
  const { tenant_id, session_id, task_id, subtask_id, attempt } = unit;
  const now = new Date();
  // Sorted ids, so that the entries of one answer keep its order.
  const ids = entries.map(() => newId('mem', now)).sort();
  const rows = entries.map((entry, index) => ({ ...entry, id: ids[index] }));
  await client.query({
    name: 'insert-memory',
    text: `INSERT INTO memory_entries (id, tenant_id, session_id, task_id, subtask_id, attempt, type, summary,
        detail, tags)
      SELECT id, $2, $3, $4, $5, $6, type, summary, detail, tags
      FROM jsonb_to_recordset($1::jsonb) AS r(id text, type text, summary text, detail text, tags text[])`,
    values: [JSON.stringify(rows), tenant_id, session_id, task_id, subtask_id, attempt],
  });
}
