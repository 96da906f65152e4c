import { findExhaustion } from '@loom/engine/budget';
import { decideTurn } from '@loom/engine/decide-turn';
import type { CreateSession, CreateTurn } from '@loom/shared/api';
import { nothingSpent } from '@loom/shared/budget';
import { newId } from '@loom/shared/ids';
import { createTestDatabase } from '@loom/testing/test-database';
import { acceptTurn } from '../accept-turn.ts';
import { claimTurn } from '../claim-turn.ts';
import { commitTurn, type TurnChange } from '../commit-turn.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { insertSession } from '../write-session.ts';

export const maxStarts = 3;

/** Who owns a turn right now. */
export interface OwnedTurn {
  session_id: string;
  turn_id: string;
  epoch: number;
}

/** A database with two tenants, and the steps of a turn's life, each one transaction. */
export async function openTurnWorld() {
  const test_db = await createTestDatabase();
  const { database: db, rows } = test_db;
  await rows(`INSERT INTO tenants (id) VALUES ('default'), ('other')`);

  const newSession = async (tenant_id = 'default', input: CreateSession = {}): Promise<string> => {
    const id = newId('ses');
    await inTransaction(db, (client) => insertSession(client, { id, tenant_id, input }));
    return id;
  };

  const send = (
    session_id: string,
    content: string,
    if_busy: CreateTurn['if_busy'] = 'queue',
    tenant_id = 'default',
  ) =>
    inTransaction(db, (client) =>
      acceptTurn(client, {
        tenant_id,
        actor: 'key_test',
        session_id,
        turn_id: newId('turn'),
        input: { content, if_busy },
        decide: decideTurn,
      }),
    );

  const claim = (turn_id: string, epoch: number) =>
    claimTurn(db, {
      turn_id,
      epoch,
      owner: 'wrk_test',
      lease_seconds: 30,
      max_starts: maxStarts,
      decide: decideTurn,
    });

  /** Sends and claims in one step. */
  const begin = async (
    session_id: string,
    content = 'hello',
    tenant_id = 'default',
  ): Promise<OwnedTurn> => {
    const { accepted } = await send(session_id, content, 'queue', tenant_id);
    const claimed = await claim(accepted.turn_id, 0);
    if (claimed.outcome !== 'claimed') throw new Error(`not claimed: ${claimed.outcome}`);
    return { session_id, turn_id: accepted.turn_id, epoch: claimed.unit.epoch };
  };

  const commit = (
    { session_id, turn_id, epoch }: OwnedTurn,
    change: Partial<TurnChange>,
    also?: (client: Transaction) => Promise<void>,
  ) =>
    commitTurn(
      db,
      {
        tenant_id: 'default',
        session_id,
        turn_id,
        fence: { unit_id: turn_id, epoch },
        // Whoever does not say otherwise has read everything.
        known_message: Number.MAX_SAFE_INTEGER,
        messages: [],
        ledger: [],
        events: [],
        spent: nothingSpent,
        wants: null,
        expire: false,
        questions: null,
        input: null,
        awaiting_call_id: null,
        ...change,
      },
      { decide: decideTurn, findExhaustion },
      also,
    );

  const turnRow = async (id: string) =>
    (
      await rows<{ status: string; error: unknown }>(
        'SELECT status, error FROM turns WHERE id = $1',
        [id],
      )
    )[0];

  const unitRow = async (id: string) =>
    (
      await rows<{
        status: string;
        epoch: number;
        starts: number;
        dead_reason: string | null;
        parked_for: string | null;
        parked_seconds: number;
        model_parks: number;
        /** Seconds until it goes on by itself. */
        due_in: number | null;
      }>(
        `SELECT status, epoch, starts, dead_reason, parked_for, parked_seconds, model_parks,
            extract(epoch FROM available_at - now())::float8 AS due_in FROM units WHERE id = $1`,
        [id],
      )
    )[0];

  const messages = async (session_id: string) =>
    (
      await rows<{ line: string }>(
        `SELECT format('%s %s: %s', number, role, content) AS line
          FROM messages WHERE session_id = $1 ORDER BY number`,
        [session_id],
      )
    ).map(({ line }) => line);

  const events = async (session_id: string) =>
    (
      await rows<{ type: string }>(
        'SELECT type FROM session_events WHERE session_id = $1 ORDER BY seq',
        [session_id],
      )
    ).map(({ type }) => type);

  return {
    ...test_db,
    newSession,
    send,
    claim,
    begin,
    commit,
    turnRow,
    unitRow,
    messages,
    events,
  };
}

export type TurnWorld = Awaited<ReturnType<typeof openTurnWorld>>;
