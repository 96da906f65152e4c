import type { Ring } from '@loom/shared/queues';
import type { DecideTurn } from '@loom/shared/turn-state';
import type { ClaimedUnit } from '@loom/shared/work';
import { lockSessions } from './append-to-sessions.ts';
import type { Database } from './database.ts';
import { lockUnits } from './task-rows.ts';
import { inTransaction } from './transaction.ts';
import { applyTurnInput, readTurn } from './turn-rows.ts';

interface ClaimTurn {
  turn_id: string;
  epoch: number;
  owner: string;
  lease_seconds: number;
  max_starts: number;
  decide: DecideTurn;
}

export type TurnClaim = { rings: Ring[]; session_id: string | null } & (
  | { outcome: 'claimed'; unit: ClaimedUnit }
  | { outcome: 'dead'; reason: string }
  | { outcome: 'refused' }
);

/** Takes a turn up, if it still waits in this epoch. */
export async function claimTurn(db: Database, params: ClaimTurn): Promise<TurnClaim> {
  return inTransaction(db, async (client): Promise<TurnClaim> => {
    const found = await readTurn(client, params.turn_id);
    if (found === null) return { outcome: 'refused', rings: [], session_id: null };
    const { session_id } = found;
    // Read again under the lock.
    const [sessions, turn, units] = await Promise.all([
      lockSessions(client, [session_id]),
      readTurn(client, params.turn_id),
      lockUnits(client, [params.turn_id]),
    ]);
    const session = sessions.get(session_id);
    const unit = units.get(params.turn_id);
    const waits = unit?.status === 'waiting' && unit.epoch === params.epoch;
    if (session === undefined || turn === null || unit === undefined || !waits) {
      return { outcome: 'refused', rings: [], session_id };
    }
    const base = { client, decide: params.decide, session, turn, lines: [] };
    if (unit.starts >= params.max_starts) {
      const cause = unit.last_error === null ? '' : `: ${unit.last_error}`;
      const reason = `started ${unit.starts} times without progress${cause}`;
      const error = { code: 'dead_letter', message: reason };
      const { rings } = await applyTurnInput({ ...base, input: { kind: 'failed', error } });
      await client.query(
        `UPDATE units SET status = 'dead', dead_reason = $2, starts = $3, updated_at = now() WHERE id = $1`,
        [unit.id, reason, unit.starts],
      );
      return { outcome: 'dead', reason, rings, session_id };
    }
    const lease = { owner: params.owner, seconds: params.lease_seconds };
    const { status, rings } = await applyTurnInput({ ...base, input: { kind: 'claimed' }, lease });
    if (status !== 'running') return { outcome: 'refused', rings, session_id };
    const claimed: ClaimedUnit = {
      unit_id: turn.id,
      epoch: unit.epoch + 1,
      queue: 'turns',
      tenant_id: turn.tenant_id,
      task_id: null,
      subtask_id: null,
      attempt: null,
      session_id,
      turn_id: turn.id,
      metered: turn.metered,
    };
    return { outcome: 'claimed', unit: claimed, rings, session_id };
  });
}
