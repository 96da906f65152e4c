import { newId } from '@loom/shared/ids';
import type { Database } from '../database.ts';
import { decodeCursor, type Page, toPage } from './keyset-cursor.ts';
import { toIso } from './row-values.ts';

/** Something an operator did. */
interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  action: string;
  target: string;
  detail: Record<string, unknown>;
}

/** Writes down who did what to which thing. */
export async function appendAudit(
  db: Database,
  params: { tenant_id: string } & Pick<AuditEntry, 'actor' | 'action' | 'target' | 'detail'>,
): Promise<void> {
  await db.pool.query(
    `INSERT INTO audit_log (id, tenant_id, actor, action, target, detail)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [
      newId('aud'),
      params.tenant_id,
      params.actor,
      params.action,
      params.target,
      JSON.stringify(params.detail),
    ],
  );
}

/** The audit log, newest first; `tenant_id` null: of every tenant. */
export async function listAudit(
  db: Database,
  params: { tenant_id: string | null; limit: number; cursor?: string },
): Promise<Page<AuditEntry>> {
  const after = decodeCursor(params.cursor);
  const { rows } = await db.pool.query<Omit<AuditEntry, 'at'> & { at: Date }>(
    `SELECT id, at, actor, action, target, detail FROM audit_log
     WHERE ($1::text IS NULL OR tenant_id = $1)
       AND ($2::timestamptz IS NULL OR (at, id) < ($2, $3))
     ORDER BY at DESC, id DESC LIMIT $4`,
    [params.tenant_id, after?.at ?? null, after?.id ?? null, params.limit + 1],
  );
  return toPage(
    rows.map((row) => ({ ...row, at: toIso(row.at) })),
    params.limit,
    ({ at, id }) => ({ at, id }),
  );
}
