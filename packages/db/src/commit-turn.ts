import type { Exhaustion, Spent, Wants } from '@loom/shared/budget';
import type { ChatMessage } from '@loom/shared/chat';
import type { NewEvent } from '@loom/shared/events';
import type { Ring } from '@loom/shared/queues';
import type { SessionState } from '@loom/shared/session-state';
import type { DecideTurn, TurnInput } from '@loom/shared/turn-state';
import type { LedgerEntry, UnitFence } from '@loom/shared/work';
import type pg from 'pg';
import {
  appendToSessions,
  lockSessions,
  type SessionLine,
  type SessionRow,
} from './append-to-sessions.ts';
import type { Database } from './database.ts';
import { closeChanges } from './file-changes/close-changes.ts';
import { findUnread } from './find-unread.ts';
import { lockUnits } from './task-rows.ts';
import { inTransaction, type Transaction } from './transaction.ts';
import {
  askAboutCalls,
  expireQuestions,
  readOpenQuestions,
  type TurnQuestion,
} from './turn-approvals.ts';
import { type FindExhaustion, useTurnBudget } from './turn-budget.ts';
import { applyTurnInput, readTurn, type TurnRow, type TurnTransition } from './turn-rows.ts';

/** What the owner of a turn adds to it. */
export interface TurnChange {
  tenant_id: string;
  session_id: string;
  turn_id: string;
  fence: UnitFence;
  /** The last message of the session that the owner has read, its own included. */
  known_message: number;
  messages: ChatMessage[];
  /** The model call that the messages come from, if they do. */
  call?: number;
  ledger: LedgerEntry[];
  events: NewEvent[];
  /** What the calls just made have cost. */
  spent: Spent;
  /** What the turn is about to do; asked for where a budget limits it, and answered in the result. */
  wants: Wants | null;
  /** Closes the questions that nobody answered in time. */
  expire: boolean;
  /** What it parks for with `on: 'approval'`: new questions, and those it knows to be open. */
  questions: { ask: TurnQuestion[]; known_open: number; timeout_seconds: number } | null;
  /** Present: the turn ends or parks with this change. */
  input: TurnInput | null;
  /** What the conversation has come to, where the turn ends or parks. */
  state?: SessionState;
  /** The question a parked turn waits to have answered. */
  awaiting_call_id: string | null;
}

/** The arithmetic that a turn's writes are decided by. */
interface TurnRules {
  decide: DecideTurn;
  findExhaustion: FindExhaustion;
}

/** What the owner of a turn learns of budgets with each of its writes. */
interface BudgetSigns {
  /** A budget limits the turn: it asks before it makes calls. */
  metered: boolean;
  /** What it may do without asking again. */
  held: Wants | null;
  /** The limit that refused what it wanted. */
  refused: Exhaustion | null;
}

export type TurnChangeResult =
  | ({
      /** `not_ended`: written, but the user said more to this turn than its owner has read: go on. */
      outcome: 'applied' | 'not_ended';
      cancel_requested: boolean;
      rings: Ring[];
      numbers: number[];
      /** Others added messages that the turn's next model call is to show: read again. */
      news: boolean;
    } & BudgetSigns)
  /** It was to park for tasks or for people, but an answer has come already: go on. Nothing was written. */
  | { outcome: 'not_parked' }
  | { outcome: 'refused' };

/** Writes a turn's progress under its session's lock; refused when the fence is stale. */
export async function commitTurn(
  db: Database,
  change: TurnChange,
  rules: TurnRules,
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
    const before = locked.get(change.session_id);
    const owned = unit?.status === 'claimed' && unit.epoch === change.fence.epoch;
    if (before === undefined || turn === null || !owned) return { outcome: 'refused' };
    const parking = await prepareToPark(client, before, turn, change);
    if (parking === 'not_parked') return { outcome: 'not_parked' };
    await also?.(client);
    const expired = change.expire ? await expireQuestions(client, turn.id) : [];
    // Read again where `also` may have appended to the same session.
    const sessions = also === undefined ? locked : await lockSessions(client, [change.session_id]);
    const session = sessions.get(change.session_id);
    if (session === undefined) return { outcome: 'refused' };
    const { news, steered } = await findUnread(client, session, change);
    const goesOn = steered && change.input?.kind === 'finished';
    const lines: SessionLine[] = [
      ...[...expired, ...parking.events, ...change.events].map(
        (event) => ({ kind: 'event', event, turn_id: turn.id, task_id: null }) as const,
      ),
      ...change.messages.map(
        (message) => ({ kind: 'message', message, turn_id: turn.id, call: change.call }) as const,
      ),
    ];
    const { metered, cancel_requested } = turn;
    const { spent, wants, input, awaiting_call_id } = change;
    if (input !== null && !goesOn) {
      const base = { client, decide: rules.decide, session, turn, lines, spent };
      const { park } = parking;
      const [{ rings, numbers }] = await Promise.all([
        applyTurnInput({ ...base, input, awaiting_call_id, ...(park && { park }) }),
        writeLedger(client, change),
        writeState(client, change),
      ]);
      const signs: BudgetSigns = { metered, held: null, refused: null };
      return { outcome: 'applied', cancel_requested, rings, numbers, news, ...signs };
    }
    const [numbers, , , { held, refused }] = await Promise.all([
      lines.length > 0 ? appendToSessions(client, [{ session, lines, tokens: spent.tokens }]) : [],
      writeLedger(client, change),
      // To have asked for calls is no progress: a turn that dies each time it makes one must be noticed.
      lines.length > 0 || change.ledger.length > 0 ? noteProgress(client, turn, spent) : null,
      useTurnBudget(client, turn, { spent, wants, keep: true }, rules.findExhaustion),
    ]);
    const signs: BudgetSigns = { metered, held, refused };
    const outcome = goesOn ? 'not_ended' : 'applied';
    return { outcome, cancel_requested, rings: [], numbers, news, ...signs };
  });
}

async function writeState(client: pg.ClientBase, { session_id, state }: TurnChange): Promise<void> {
  if (state === undefined) return;
  await client.query({
    name: 'write-session-state',
    text: 'UPDATE sessions SET state = $2 WHERE id = $1',
    values: [session_id, JSON.stringify(state)],
  });
}

/** A model that answers is back: the next wait for one is a first again. */
async function noteProgress(client: pg.ClientBase, turn: TurnRow, spent: Spent): Promise<void> {
  await client.query({
    name: 'turn-progress',
    text: `WITH calls AS (UPDATE turns SET model_calls = model_calls + $2 WHERE id = $1 AND $2 > 0)
      UPDATE units SET starts = 0, model_parks = CASE WHEN $2 > 0 THEN 0 ELSE model_parks END
      WHERE id = $1 AND (starts > 0 OR model_parks > 0)`,
    values: [turn.id, spent.model_calls],
  });
}

interface Parking {
  park: TurnTransition['park'] | null;
  events: NewEvent[];
}

/** Whether there is still something to wait for, and until when at most. */
async function prepareToPark(
  client: pg.ClientBase,
  session: SessionRow,
  turn: TurnRow,
  change: TurnChange,
): Promise<Parking | 'not_parked'> {
  const { input, questions } = change;
  const nothing: Parking = { park: null, events: [] };
  if (input?.kind === 'model_away') {
    return { park: { reason: 'model', seconds: input.seconds }, events: [] };
  }
  if (input?.kind !== 'parked') return nothing;
  if (input.on === 'task') {
    return (await hasOpenDelegation(client, turn.id)) ? nothing : 'not_parked';
  }
  if (input.on === 'user') {
    // What the user said before the question was put is no answer to it: the model reads it first.
    return (await findUnread(client, session, change)).steered ? 'not_parked' : nothing;
  }
  // One that is to stop will not park: nobody is asked on its behalf.
  if (questions === null || turn.cancel_requested) return nothing;
  const before = await readOpenQuestions(client, turn.id);
  if (before.open < questions.known_open) return 'not_parked';
  const { ask, timeout_seconds } = questions;
  const events = await askAboutCalls(client, turn, ask, timeout_seconds);
  const seconds = Math.min(before.seconds ?? timeout_seconds, timeout_seconds);
  return { park: { reason: 'approval', seconds: Math.max(0, seconds) }, events };
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
  const entries = change.ledger.map(({ changes, ...entry }) => ({
    ...entry,
    files_changed: changes.map(({ path }) => path),
  }));
  const closed = closeChanges(client, change.ledger);
  const written = client.query({
    name: 'write-turn-ledger',
    text: `INSERT INTO tool_calls (key, tenant_id, unit_id, session_id, turn_id, tool, effect, arguments, status,
        result, exit_code, files_changed, ended_at)
      SELECT key, $2, $3, $4, $3, tool, effect, arguments, status, result, exit_code, files_changed,
        CASE WHEN status <> 'intent' THEN now() END
      FROM jsonb_to_recordset($1::jsonb) AS r(key text, tool text, effect text, arguments jsonb, status text,
        result text, exit_code int, files_changed text[])
      ON CONFLICT (key) DO UPDATE SET status = excluded.status, result = excluded.result,
        exit_code = excluded.exit_code, files_changed = excluded.files_changed, ended_at = excluded.ended_at`,
    values: [JSON.stringify(entries), change.tenant_id, change.turn_id, change.session_id],
  });
  await Promise.all([closed, written]);
}
