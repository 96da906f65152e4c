import type { Failure } from '@loom/shared/api';
import type { Spent } from '@loom/shared/budget';
import type { Ring } from '@loom/shared/queues';
import type { TurnStatus } from '@loom/shared/statuses';
import type { DecideTurn, TurnInput, TurnUnitFate } from '@loom/shared/turn-state';
import type { ParkReason } from '@loom/shared/work';
import type pg from 'pg';
import { appendToSessions, type SessionLine, type SessionRow } from './append-to-sessions.ts';
import { dropQuestions, openQuestion } from './turn-approvals.ts';
import { type MeteredTurn, useTurnBudget } from './turn-budget.ts';

export interface TurnRow extends MeteredTurn {
  status: TurnStatus;
  cancel_requested: boolean;
  awaiting_call_id: string | null;
  /** It has put a question about a tool call that nobody has answered. */
  asks: boolean;
}

/** Found out along with the row, so that turns without budgets and questions need no query more. */
const columns = `t.id, t.session_id, t.tenant_id, t.status, t.cancel_requested, t.awaiting_call_id, t.held,
  EXISTS (SELECT 1 FROM budgets b WHERE b.id IN (t.session_id, t.tenant_id)) AS metered,
  EXISTS (SELECT 1 FROM approvals a WHERE a.unit_id = t.id AND a.${openQuestion}) AS asks`;
const open = `status NOT IN ('completed', 'failed', 'cancelled')`;

/** A turn of a locked session. The session's lock guards its turns too. */
export async function readTurn(client: pg.ClientBase, id: string): Promise<TurnRow | null> {
  const text = `SELECT ${columns} FROM turns t WHERE t.id = $1`;
  const { rows } = await client.query<TurnRow>({ name: 'read-turn', text, values: [id] });
  return rows[0] ?? null;
}

/** The turns of a locked session that have not ended, oldest first. */
export async function readOpenTurns(client: pg.ClientBase, sessionId: string): Promise<TurnRow[]> {
  const { rows } = await client.query<TurnRow>({
    name: 'read-open-turns',
    text: `SELECT ${columns} FROM turns t WHERE t.session_id = $1 AND t.${open} ORDER BY t.created_at, t.id`,
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
  /** What the turn's calls have cost since its last write. */
  spent?: Spent;
  awaiting_call_id?: string | null;
  /** Why it parks when no task or answer is to wake it, and after how long it goes on by itself. */
  park?: { reason: ParkReason; seconds: number };
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
  const ended = ['completed', 'failed', 'cancelled'].includes(decision.state.status);
  const dropped = ended && turn.asks ? await dropQuestions(client, turn.id, lastWord(input)) : [];
  const lines: SessionLine[] = [
    ...transition.lines,
    ...[...dropped, ...decision.events].map(
      (event): SessionLine => ({
        kind: 'event',
        event,
        turn_id: turn.id,
        task_id: null,
      }),
    ),
  ];
  const spent = transition.spent ?? null;
  const tokens = spent?.tokens ?? 0;
  const keep = decision.unit === 'keep' || decision.unit === 'claim';
  const error: Failure | null = input.kind === 'failed' ? input.error : null;
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
      spent?.model_calls ?? 0,
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
    useTurnBudget(client, turn, { spent, wants: null, keep }, null),
  ]);
  return { status: decision.state.status, rings: [...woken, ...next], numbers };
}

/** Who ended a turn, as those are told whom it had asked something. */
function lastWord(input: TurnInput): { by: string | null; reason: string } {
  if (input.kind === 'failed') return { by: null, reason: 'the turn failed' };
  const by = input.kind === 'stop_requested' ? input.by : null;
  return { by, reason: 'the turn was cancelled' };
}

const unitStatus = {
  park: 'parked',
  wake: 'waiting',
  done: 'done',
  withdraw: 'withdrawn',
} as const;

async function settleUnit(
  client: pg.ClientBase,
  { turn, lease, park }: TurnTransition,
  fate: TurnUnitFate,
): Promise<Ring[]> {
  if (fate === 'keep') return [];
  if (fate === 'claim') {
    await client.query({
      name: 'claim-turn-unit',
      text: `UPDATE units SET status = 'claimed', epoch = epoch + 1, starts = starts + 1, owner = $2,
          lease_until = now() + $3 * interval '1 second', updated_at = now(),
          parked_for = NULL, parked_at = NULL, available_at = NULL WHERE id = $1`,
      values: [turn.id, lease?.owner, lease?.seconds],
    });
    return [];
  }
  // Of a turn's parked time only that for its model is counted: people and tasks may take their time.
  const { rows } = await client.query<{ epoch: number }>({
    name: 'settle-turn-unit',
    text: `UPDATE units SET status = $2, lease_until = NULL, starts = 0, rung_at = now(), updated_at = now(),
        parked_for = $3, parked_at = CASE WHEN $2 = 'parked' THEN now() END,
        available_at = now() + $4::float8 * interval '1 second',
        parked_seconds = parked_seconds + CASE WHEN $3 = 'model' THEN $4::float8 ELSE 0 END,
        model_parks = model_parks + CASE WHEN $3 = 'model' THEN 1 ELSE 0 END
      WHERE id = $1 AND status NOT IN ('done', 'dead') RETURNING epoch`,
    values: [
      turn.id,
      unitStatus[fate],
      fate === 'park' ? park?.reason : null,
      fate === 'park' ? park?.seconds : null,
    ],
  });
  if (fate !== 'wake') return [];
  return rows.map(({ epoch }) => ringFor(turn, epoch));
}

function ringFor({ id, tenant_id }: { id: string; tenant_id: string }, epoch: number): Ring {
  return { queue: 'turns', tenant_id, unit_id: id, epoch };
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
  return rows.map(({ id }) => ringFor({ id, tenant_id: session.tenant_id }, 0));
}
