import type { Session } from '@loom/shared/api';
import type { Database } from '../database.ts';
import { decodeCursor, type Page, toPage } from './keyset-cursor.ts';
import { toIso, toIsoOrNull } from './row-values.ts';

/** A session as the database gives it. */
export interface StoredSession extends Omit<Session, 'created_at' | 'updated_at' | 'ended_at'> {
  created_at: Date;
  updated_at: Date;
  ended_at: Date | null;
}

/** The columns of a session that the outside sees. */
export const sessionColumns = `id, title, status, workspace, model, system_prompt, approval_mode, grants,
  budget, state, last_message_number AS message_count, total_tokens, created_at, updated_at, ended_at`;

/** One session of a tenant, with the cursor of its newest event. */
export async function getSession(
  db: Database,
  params: { tenant_id: string; session_id: string },
): Promise<(Session & { last_seq: number }) | null> {
  const { rows } = await db.pool.query<StoredSession & { last_seq: number }>(
    `SELECT ${sessionColumns}, last_seq FROM sessions WHERE id = $1 AND tenant_id = $2`,
    [params.session_id, params.tenant_id],
  );
  return rows[0] === undefined ? null : toSession(rows[0]);
}

/** A tenant's sessions, newest first; `workspaces` are the spellings of one directory. */
export async function listSessions(
  db: Database,
  params: { tenant_id: string; workspaces: string[] | null; limit: number; cursor?: string },
): Promise<Page<Session>> {
  const after = decodeCursor(params.cursor);
  const { rows } = await db.pool.query<StoredSession>(
    `SELECT ${sessionColumns} FROM sessions
     WHERE tenant_id = $1
       AND ($2::text[] IS NULL OR workspace = ANY ($2))
       AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4))
     ORDER BY created_at DESC, id DESC LIMIT $5`,
    [params.tenant_id, params.workspaces, after?.at ?? null, after?.id ?? null, params.limit + 1],
  );
  return toPage(rows.map(toSession), params.limit, ({ created_at, id }) => ({
    at: created_at,
    id,
  }));
}

/** The row as the contract's object. */
export function toSession<Row extends StoredSession>(row: Row) {
  return {
    ...row,
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
    ended_at: toIsoOrNull(row.ended_at),
  };
}
