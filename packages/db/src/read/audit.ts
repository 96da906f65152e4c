import { newId } from '@loom/shared/ids';
import type { JsonObject } from '@loom/shared/json';
import type pg from 'pg';
import type { Database } from '../database.ts';
import { behind, decodeCursor, type Page, toPage } from './keyset-cursor.ts';
import { toIso } from './row-values.ts';

/** Something an operator did. */
interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  action: string;
  target: string;
  detail: unknown;
}

/** Writes down who did what to which thing; inside a transaction, together with the deed. */
export async function appendAudit(
  client: pg.ClientBase | pg.Pool,
  params: { tenant_id: string; actor: string; action: string; target: string; detail: JsonObject },
): Promise<void> {
  await client.query(
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
  const { auditEntry } = await db.prisma();
  const rows = await auditEntry.findMany({
    select: { id: true, at: true, actor: true, action: true, target: true, detail: true },
    where: {
      ...(params.tenant_id === null ? {} : { tenant_id: params.tenant_id }),
      ...behind('at', decodeCursor(params.cursor)),
    },
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
    take: params.limit + 1,
  });
  return toPage(
    rows.map((row) => ({ ...row, at: toIso(row.at) })),
    params.limit,
    ({ at, id }) => ({ at, id }),
  );
}
