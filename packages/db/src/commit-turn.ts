import type { ChatMessage } from '@loom/shared/chat';
import type { NewEvent } from '@loom/shared/events';
import type { Ring } from '@loom/shared/queues';
import type { DecideTurn, TurnInput } from '@loom/shared/turn-state';
import type { LedgerEntry, UnitFence, Usage } from '@loom/shared/work';
import type pg from 'pg';
import { appendToSessions, lockSessions, type SessionLine } from './append-to-sessions.ts';
import type { Database } from './database.ts';
import { lockUnits } from './task-rows.ts';
import { inTransaction, type Transaction } from './transaction.ts';
import { applyTurnInput, readTurn } from './turn-rows.ts';

/** What the owner of a turn adds to it. */
export interface TurnChange {
  tenant_id: string;
  session_id: string;
  turn_id: string;
  fence: UnitFence;
  messages: ChatMessage[];
  /** The model call that the messages come from, if they do. */
  call?: number;
  ledger: LedgerEntry[];
  events: NewEvent[];
  usage: Usage;
  /** Present: the turn ends or parks with this change. */
  input: TurnInput | null;
  /** The question a parked turn waits to have answered. */
  awaiting_call_id: string | null;
}

export type TurnChangeResult =
  | { outcome: 'applied'; cancel_requested: boolean; rings: Ring[]; numbers: number[] }
  /** It was to park for tasks, but all of them have answered already: go on. */
  | { outcome: 'not_parked' }
  | { outcome: 'refused' };

/** Writes a turn's progress under its session's lock; refused when the fence is stale. */
export async function commitTurn(
  db: Database,
  change: TurnChange,
  decide: DecideTurn,
  /** More to be written in the same transaction, before the turn's own lines. */
  also?: (client: Transaction) => Promise<void>,
): Promise<TurnChangeResult> {
  return inTransaction(db, async (client): Promise<TurnChangeResult> => {
    const [locked, units, turn] = await Promise.all([
      lockSessions(client, [change.session_id]),
      lockUnits(client, [change.turn_id]),
      readTurn(client, change.turn_id),
    ]);
    const unit = units.get(change.turn_id);
    const owned = unit?.status === 'claimed' && unit.epoch === change.fence.epoch;
    if (unit === undefined || turn === null || !owned) return { outcome: 'refused' };
    if (change.input?.kind === 'parked' && change.input.on === 'task') {
      if (!(await hasOpenDelegation(client, turn.id))) return { outcome: 'not_parked' };
    }
    await also?.(client);
    // Read again where `also` may have appended to the same session.
    const sessions = also === undefined ? locked : await lockSessions(client, [change.session_id]);
    const session = sessions.get(change.session_id);
    if (session === undefined) return { outcome: 'refused' };
    const lines: SessionLine[] = [
      ...change.events.map(
        (event) => ({ kind: 'event', event, turn_id: turn.id, task_id: null }) as const,
      ),
      ...change.messages.map(
        (message) => ({ kind: 'message', message, turn_id: turn.id, call: change.call }) as const,
      ),
    ];
    const { tokens, model_calls } = change.usage;
    if (change.input !== null) {
      const { input, awaiting_call_id } = change;
      const base = { client, decide, session, turn, lines, tokens, model_calls };
      const [{ rings, numbers }] = await Promise.all([
        applyTurnInput({ ...base, input, awaiting_call_id }),
        writeLedger(client, change),
      ]);
      return { outcome: 'applied', cancel_requested: turn.cancel_requested, rings, numbers };
    }
    const progress = client.query({
      name: 'turn-progress',
      text: `WITH calls AS (UPDATE turns SET model_calls = model_calls + $2 WHERE id = $1 AND $2 > 0)
        UPDATE units SET starts = 0 WHERE id = $1 AND starts > 0`,
      values: [turn.id, model_calls],
    });
    const [numbers] = await Promise.all([
      lines.length > 0 ? appendToSessions(client, [{ session, lines, tokens }]) : [],
      writeLedger(client, change),
      progress,
    ]);
    return { outcome: 'applied', cancel_requested: turn.cancel_requested, rings: [], numbers };
  });
}

async function hasOpenDelegation(client: pg.ClientBase, turnId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'SELECT 1 FROM tasks WHERE turn_id = $1 AND turn_waits LIMIT 1',
    [turnId],
  );
  return (rowCount ?? 0) > 0;
}

async function writeLedger(client: pg.ClientBase, change: TurnChange): Promise<void> {
  if (change.ledger.length === 0) return;
  await client.query({
    name: 'write-turn-ledger',
    text: `INSERT INTO tool_calls (key, tenant_id, unit_id, session_id, turn_id, tool, effect, arguments, status,
        result, exit_code, files_changed, ended_at)
      SELECT key, $2, $3, $4, $3, tool, effect, arguments, status, result, exit_code, files_changed,
        CASE WHEN status <> 'intent' THEN now() END
      FROM jsonb_to_recordset($1::jsonb) AS r(key text, tool text, effect text, arguments jsonb, status text,
        result text, exit_code int, files_changed text[])
      ON CONFLICT (key) DO UPDATE SET status = excluded.status, result = excluded.result,
        exit_code = excluded.exit_code, files_changed = excluded.files_changed, ended_at = excluded.ended_at`,
    values: [JSON.stringify(change.ledger), change.tenant_id, change.turn_id, change.session_id],
  });
}
