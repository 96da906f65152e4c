import type { CreateSession, Session } from '@loom/shared/api';
import type pg from 'pg';
import { appendToSessions, type SessionRow } from './append-to-sessions.ts';
import { type StoredSession, sessionColumns, toSession } from './read/sessions.ts';

interface NewSession {
  id: string;
  tenant_id: string;
  input: CreateSession;
}

/** Opens a session, with the first line of its log. */
export async function insertSession(client: pg.ClientBase, params: NewSession): Promise<Session> {
  const { id, tenant_id, input } = params;
  const { rows } = await client.query<StoredSession>(
    `INSERT INTO sessions (id, tenant_id, title, workspace, model, system_prompt, approval_mode, grants, budget)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      RETURNING ${sessionColumns}`,
    [
      id,
      tenant_id,
      input.title ?? '',
      input.workspace ?? null,
      input.model ?? null,
      input.system_prompt ?? null,
      input.approval_mode ?? 'auto',
      JSON.stringify(input.grants ?? {}),
      JSON.stringify(input.budget ?? {}),
    ],
  );
  const started = { id, tenant_id, status: 'active', last_seq: 0, last_message_number: 0 };
  await appendEvent(client, started, 'session.start');
  return toSession(rows[0] as StoredSession);
}

/** Ends a locked session; ending it twice changes nothing. Returns whether it was open. */
export async function endSession(client: pg.ClientBase, session: SessionRow): Promise<boolean> {
  if (session.status === 'ended') return false;
  await client.query(
    `UPDATE sessions SET status = 'ended', ended_at = now(), updated_at = now() WHERE id = $1`,
    [session.id],
  );
  await appendEvent(client, session, 'session.end');
  return true;
}

async function appendEvent(
  client: pg.ClientBase,
  session: SessionRow,
  type: 'session.start' | 'session.end',
): Promise<void> {
  const event = { type, data: {} };
  const lines = [{ kind: 'event', event, turn_id: null, task_id: null } as const];
  await appendToSessions(client, [{ session, lines, tokens: 0 }]);
}
