import type { Turn } from '@loom/shared/api';
import type { TurnStatus } from '@loom/shared/statuses';
import type { Database } from '../database.ts';
import { type MessageRow, messageColumns, toMessage } from './messages.ts';
import { toIso, toIsoOrNull } from './row-values.ts';

interface TurnKey {
  tenant_id: string;
  session_id: string;
  turn_id: string;
}

interface TurnRow {
  id: string;
  session_id: string;
  status: TurnStatus;
  error: Turn['error'];
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
}

/** One turn with its messages. */
export async function getTurn(db: Database, params: TurnKey): Promise<Turn | null> {
  const { rows } = await db.pool.query<TurnRow>(
    `SELECT id, session_id, status, error, created_at, started_at, ended_at FROM turns
     WHERE id = $1 AND session_id = $2 AND tenant_id = $3`,
    [params.turn_id, params.session_id, params.tenant_id],
  );
  const turn = rows[0];
  if (turn === undefined) return null;
  const messages = await db.pool.query<MessageRow>(
    `SELECT ${messageColumns} FROM messages
     WHERE turn_id = $1 AND session_id = $2 AND tenant_id = $3 ORDER BY number`,
    [params.turn_id, params.session_id, params.tenant_id],
  );
  return {
    ...turn,
    messages: messages.rows.map(toMessage),
    created_at: toIso(turn.created_at),
    started_at: toIsoOrNull(turn.started_at),
    ended_at: toIsoOrNull(turn.ended_at),
  };
}

/** Where a turn stands, without its text. */
export async function getTurnStatus(db: Database, params: TurnKey): Promise<TurnStatus | null> {
  const { rows } = await db.pool.query<{ status: TurnStatus }>(
    'SELECT status FROM turns WHERE id = $1 AND session_id = $2 AND tenant_id = $3',
    [params.turn_id, params.session_id, params.tenant_id],
  );
  return rows[0]?.status ?? null;
}
