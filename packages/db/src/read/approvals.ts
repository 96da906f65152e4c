import type { Approval, ApprovalStatus } from '@loom/shared/approval';
import type { Database } from '../database.ts';
import { decodeCursor, type Page, toPage } from './keyset-cursor.ts';
import { toIso, toIsoOrNull } from './row-values.ts';

/** An approval as the database gives it. */
export interface ApprovalRow extends Omit<Approval, 'requested_at' | 'expires_at' | 'decided_at'> {
  requested_at: Date;
  expires_at: Date | null;
  decided_at: Date | null;
}

/** The columns of an approval that the outside sees. */
export const approvalColumns = `id, status, kind, tool, arguments, reason, session_id, turn_id, task_id,
  subtask_id, requested_at, expires_at, decided_by, decided_at, decision_reason`;

/** One approval of a tenant. */
export async function getApproval(
  db: Database,
  params: { tenant_id: string; approval_id: string },
): Promise<Approval | null> {
  const { rows } = await db.pool.query<ApprovalRow>(
    `SELECT ${approvalColumns} FROM approvals WHERE id = $1 AND tenant_id = $2`,
    [params.approval_id, params.tenant_id],
  );
  return rows[0] === undefined ? null : toApproval(rows[0]);
}

interface ApprovalQuery {
  tenant_id: string;
  status?: ApprovalStatus;
  task_id?: string;
  session_id?: string;
  limit: number;
  cursor?: string;
}

/** A tenant's approvals, newest first. */
export async function listApprovals(db: Database, params: ApprovalQuery): Promise<Page<Approval>> {
  const after = decodeCursor(params.cursor);
  // Spelled out, so that the list of open questions is read from its own small index.
  const isPending = params.status === 'pending' ? `AND status = 'pending'` : '';
  const { rows } = await db.pool.query<ApprovalRow>(
    `SELECT ${approvalColumns} FROM approvals
     WHERE tenant_id = $1 ${isPending}
       AND ($2::text IS NULL OR status = $2)
       AND ($3::text IS NULL OR task_id = $3)
       AND ($4::text IS NULL OR session_id = $4)
       AND ($5::timestamptz IS NULL OR (requested_at, id) < ($5, $6))
     ORDER BY requested_at DESC, id DESC LIMIT $7`,
    [
      params.tenant_id,
      params.status ?? null,
      params.task_id ?? null,
      params.session_id ?? null,
      after?.at ?? null,
      after?.id ?? null,
      params.limit + 1,
    ],
  );
  return toPage(rows.map(toApproval), params.limit, ({ requested_at, id }) => ({
    at: requested_at,
    id,
  }));
}

/** A row as the contract's approval. */
export function toApproval(row: ApprovalRow): Approval {
  return {
    ...row,
    requested_at: toIso(row.requested_at),
    expires_at: toIsoOrNull(row.expires_at),
    decided_at: toIsoOrNull(row.decided_at),
  };
}
