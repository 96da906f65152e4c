import type { Failure } from '@loom/shared/api';
import type { Ring } from '@loom/shared/queues';
import type { TurnStatus } from '@loom/shared/statuses';
import type { DecideTurn, TurnInput, TurnUnitFate } from '@loom/shared/turn-state';
import type pg from 'pg';
import { appendToSessions, type SessionLine, type SessionRow } from './append-to-sessions.ts';

export interface TurnRow {
  id: string;
  session_id: string;
  tenant_id: string;
  status: TurnStatus;
  cancel_requested: boolean;
  awaiting_call_id: string | null;
}

const columns = 'id, session_id, tenant_id, status, cancel_requested, awaiting_call_id';
const open = `status NOT IN ('completed', 'failed', 'cancelled')`;

/** A turn of a locked session. The session's lock guards its turns too. */
export async function readTurn(client: pg.ClientBase, id: string): Promise<TurnRow | null> {
  const text = `SELECT ${columns} FROM turns WHERE id = $1`;
  const { rows } = await client.query<TurnRow>({ name: 'read-turn', text, values: [id] });
  return rows[0] ?? null;
}

/** The turns of a locked session that have not ended, oldest first. */
export async function readOpenTurns(client: pg.ClientBase, sessionId: string): Promise<TurnRow[]> {
  const { rows } = await client.query<TurnRow>({
    name: 'read-open-turns',
    text: `SELECT ${columns} FROM turns WHERE session_id = $1 AND ${open} ORDER BY created_at, id`,
    values: [sessionId],
  });
  return rows;
}

export interface TurnTransition {
  client: pg.ClientBase;
  decide: DecideTurn;
  session: SessionRow;
  turn: TurnRow;
  input: TurnInput;
  /** Archive lines and events that go before the transition's own events. */
  lines: SessionLine[];
  tokens?: number;
  model_calls?: number;
  awaiting_call_id?: string | null;
  /** Who takes the unit, when the input is a claim. */
  lease?: { owner: string; seconds: number };
}

/** Decides a turn's transition and writes it with its lines. Returns what is to be rung: the next turn, if this one ended. */
export async function applyTurnInput(transition: TurnTransition): Promise<{
  status: TurnStatus;
  rings: Ring[];
  /** Numbers of the messages among the lines. */
  numbers: number[];
}> {
  const { client, session, turn, input } = transition;
  const decision = transition.decide(turn, input);
  const lines: SessionLine[] = [
    ...transition.lines,
    ...decision.events.map(
      (event): SessionLine => ({
        kind: 'event',
        event,
        turn_id: turn.id,
        task_id: null,
      }),
    ),
  ];
  const tokens = transition.tokens ?? 0;
  const error: Failure | null = input.kind === 'failed' ? input.error : null;
  const ended = ['completed', 'failed', 'cancelled'].includes(decision.state.status);
  const written = client.query({
    name: 'write-turn',
    text: `UPDATE turns SET status = $2, cancel_requested = $3, error = coalesce($4::jsonb, error),
        model_calls = model_calls + $5, awaiting_call_id = $6,
        started_at = CASE WHEN $2 = 'running' THEN coalesce(started_at, now()) ELSE started_at END,
        ended_at = CASE WHEN $7 THEN coalesce(ended_at, now()) END
      WHERE id = $1`,
    values: [
      turn.id,
      decision.state.status,
      decision.state.cancel_requested,
      error === null ? null : JSON.stringify(error),
      transition.model_calls ?? 0,
      transition.awaiting_call_id ?? null,
      ended,
    ],
  });
  // Sent together, carried out in this order.
  const [, woken, next, numbers] = await Promise.all([
    written,
    settleUnit(client, transition, decision.unit),
    ended ? startNextTurn(client, session) : [],
    lines.length > 0 ? appendToSessions(client, [{ session, lines, tokens }]) : [],
  ]);
  return { status: decision.state.status, rings: [...woken, ...next], numbers };
}

const unitStatus = {
  park: 'parked',
  wake: 'waiting',
  done: 'done',
  withdraw: 'withdrawn',
} as const;

async function settleUnit(
  client: pg.ClientBase,
  { turn, lease }: TurnTransition,
  fate: TurnUnitFate,
): Promise<Ring[]> {
  if (fate === 'keep') return [];
  if (fate === 'claim') {
    await client.query({
      name: 'claim-turn-unit',
      text: `UPDATE units SET status = 'claimed', epoch = epoch + 1, starts = starts + 1, owner = $2,
          lease_until = now() + $3 * interval '1 second', updated_at = now() WHERE id = $1`,
      values: [turn.id, lease?.owner, lease?.seconds],
    });
    return [];
  }
  const { rows } = await client.query<{ epoch: number }>({
    name: 'settle-turn-unit',
    text: `UPDATE units SET status = $2, lease_until = NULL, starts = 0, rung_at = now(), updated_at = now()
      WHERE id = $1 AND status NOT IN ('done', 'dead') RETURNING epoch`,
    values: [turn.id, unitStatus[fate]],
  });
  if (fate !== 'wake') return [];
  return rows.map(({ epoch }) => ({ queue: 'turns', unit_id: turn.id, epoch }));
}

/** Gives the oldest queued turn of a session its unit, unless another turn is still open. */
export async function startNextTurn(client: pg.ClientBase, session: SessionRow): Promise<Ring[]> {
  const { rows } = await client.query<{ id: string }>({
    name: 'start-next-turn',
    text: `INSERT INTO units (id, tenant_id, queue, status, session_id, turn_id)
      SELECT id, tenant_id, 'turns', 'waiting', session_id, id FROM (
        SELECT id, tenant_id, session_id, status FROM turns
        WHERE session_id = $1 AND ${open} ORDER BY created_at, id LIMIT 1) AS oldest
      WHERE status = 'queued' ON CONFLICT (id) DO NOTHING RETURNING id`,
    values: [session.id],
  });
  return rows.map(({ id }) => ({ queue: 'turns', unit_id: id, epoch: 0 }));
}
