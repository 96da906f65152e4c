import type { Approval, ApprovalDecision, ApprovalStatus } from '@loom/shared/approval';
import type { NewEvent } from '@loom/shared/events';
import { boundedJson } from '@loom/shared/text';
import type pg from 'pg';
import type { Database } from './database.ts';
import { approvalColumns, type ApprovalRow as ReadApproval, toApproval } from './read/approvals.ts';
import type { StoredApproval } from './stored-approval.ts';

/** A tool call of a turn that a person must allow. */
export interface TurnQuestion {
  id: string;
  call_key: string;
  tool: string;
  arguments: unknown;
  reason: string;
}

/** What people said about one call of a turn, and whether the time to answer is over. */
export interface TurnApproval extends StoredApproval {
  id: string;
  overdue: boolean;
}

/** A row of `approvals` as its writers see it. */
export interface ApprovalRow {
  id: string;
  status: ApprovalStatus;
  kind: string;
  tool: string | null;
  arguments: unknown;
  turn_id: string | null;
  decided_by: string | null;
  overdue: boolean;
}

/**
 * An open question of a unit, told by what it has not: by its status the planner would take the
 * index of all open questions, which is short on a new database and long on a busy one.
 */
export const openQuestion = 'decided_at IS NULL';

const columns = `id, status, kind, tool, arguments, turn_id, decided_by, expires_at <= now() AS overdue`;

/** Every question that a turn has put so far. */
export async function loadTurnApprovals(db: Database, turnId: string): Promise<TurnApproval[]> {
  const { rows } = await db.pool.query<TurnApproval>({
    name: 'load-turn-approvals',
    text: `SELECT id, call_key, status, decided_arguments, decision_reason,
        status = 'pending' AND expires_at <= now() AS overdue
      FROM approvals WHERE unit_id = $1 AND call_key IS NOT NULL ORDER BY requested_at, call_key`,
    values: [turnId],
  });
  return rows;
}

/** How many questions of a turn are open, and how soon the first of them lapses. */
export async function readOpenQuestions(
  client: pg.ClientBase,
  turnId: string,
): Promise<{ open: number; seconds: number | null }> {
  const { rows } = await client.query<{ open: number; seconds: number | null }>({
    name: 'read-open-questions',
    text: `SELECT count(*)::int AS open, extract(epoch FROM min(expires_at) - now())::float8 AS seconds
      FROM approvals WHERE unit_id = $1 AND ${openQuestion}`,
    values: [turnId],
  });
  return rows[0] ?? { open: 0, seconds: null };
}

/** Puts questions, all at once, under the session's lock; returns the events that say so. */
export async function askAboutCalls(
  client: pg.ClientBase,
  turn: { id: string; session_id: string; tenant_id: string },
  questions: TurnQuestion[],
  timeoutSeconds: number,
): Promise<NewEvent[]> {
  if (questions.length === 0) return [];
  const { rows } = await client.query<{ id: string; expires_at: Date }>({
    name: 'ask-about-calls',
    text: `INSERT INTO approvals (id, tenant_id, kind, tool, arguments, reason, session_id, turn_id, unit_id,
        call_key, expires_at)
      SELECT id, $2, 'tool', tool, arguments, reason, $3, $4, $4, call_key, now() + $5 * interval '1 second'
      FROM jsonb_to_recordset($1::jsonb) AS r(id text, tool text, arguments jsonb, reason text, call_key text)
      RETURNING id, expires_at`,
    values: [
      JSON.stringify(questions.map((asked) => ({ ...asked, arguments: asked.arguments ?? {} }))),
      turn.tenant_id,
      turn.session_id,
      turn.id,
      timeoutSeconds,
    ],
  });
  const lapses = new Map(rows.map(({ id, expires_at }) => [id, expires_at.toISOString()]));
  return questions.map(({ id, tool, reason, ...asked }) => ({
    type: 'approval.requested',
    data: {
      approval_id: id,
      kind: 'tool',
      tool,
      arguments: boundedJson(asked.arguments, maxShown),
      reason,
      expires_at: lapses.get(id) ?? null,
    },
  }));
}

/** Closes the questions of a turn that nobody answered in time. */
export async function expireQuestions(client: pg.ClientBase, turnId: string): Promise<NewEvent[]> {
  const { rows } = await client.query<ApprovalRow>({
    name: 'expire-questions',
    text: `UPDATE approvals SET status = 'expired', decided_at = now(), decision_reason = $2
      WHERE unit_id = $1 AND ${openQuestion} AND expires_at <= now() RETURNING ${columns}`,
    values: [turnId, lapsed],
  });
  return rows.map((row) => closedEvent(row, { by: null, reason: lapsed }));
}

/** Closes what is still open of a turn that ends: nobody needs an answer any more. */
export async function dropQuestions(
  client: pg.ClientBase,
  turnId: string,
  { by, reason }: { by: string | null; reason: string },
): Promise<NewEvent[]> {
  const { rows } = await client.query<ApprovalRow>({
    name: 'drop-questions',
    text: `UPDATE approvals SET status = 'denied', decided_by = $2, decided_at = now(), decision_reason = $3
      WHERE unit_id = $1 AND ${openQuestion} RETURNING ${columns}`,
    values: [turnId, by, reason],
  });
  return rows.map((row) => closedEvent(row, { by, reason }));
}

/** A question as it stands; the session's lock guards those of its turns. */
export async function readApproval(
  client: pg.ClientBase,
  key: { id: string; tenant_id: string; session_id: string },
): Promise<ApprovalRow | null> {
  const { rows } = await client.query<ApprovalRow>({
    name: 'read-turn-approval',
    text: `SELECT ${columns} FROM approvals
      WHERE id = $1 AND tenant_id = $2 AND session_id = $3 AND task_id IS NULL`,
    values: [key.id, key.tenant_id, key.session_id],
  });
  return rows[0] ?? null;
}

/** Open questions of a session's turns and tasks: two at most, since more are as good as two. */
export async function readSessionQuestions(
  client: pg.ClientBase,
  session: { id: string; tenant_id: string },
): Promise<Approval[]> {
  const { rows } = await client.query<ReadApproval>({
    name: 'read-session-questions',
    text: `SELECT ${approvalColumns} FROM approvals
      WHERE tenant_id = $1 AND session_id = $2 AND status = 'pending'
        AND (expires_at IS NULL OR expires_at > now()) LIMIT 2`,
    values: [session.tenant_id, session.id],
  });
  return rows.map(toApproval);
}

/** The other open questions of a turn about the same tool. */
export async function readSiblings(
  client: pg.ClientBase,
  { id, turn_id, tool }: ApprovalRow,
): Promise<ApprovalRow[]> {
  const { rows } = await client.query<ApprovalRow>({
    name: 'read-sibling-approvals',
    text: `SELECT ${columns} FROM approvals
      WHERE unit_id = $1 AND tool = $2 AND id <> $3 AND ${openQuestion} AND expires_at > now()`,
    values: [turn_id, tool, id],
  });
  return rows;
}

/** Writes a person's answer; what they did not decide about stays as it was asked. */
export async function writeAnswer(
  client: pg.ClientBase,
  row: Pick<ApprovalRow, 'id' | 'kind'>,
  decision: Omit<ApprovalDecision, 'remember'>,
): Promise<NewEvent> {
  const status = decision.decision === 'approve' ? 'approved' : 'denied';
  const edited = status === 'approved' ? decision.arguments : null;
  await client.query({
    name: 'write-turn-answer',
    text: `UPDATE approvals SET status = $2, decided_by = $3, decided_at = now(), decision_reason = $4,
        decided_arguments = $5 WHERE id = $1 AND status = 'pending'`,
    values: [
      row.id,
      status,
      decision.by,
      decision.reason,
      edited === null ? null : JSON.stringify(edited),
    ],
  });
  return closedEvent({ ...row, status }, decision);
}

/** Frees a tool for the rest of a locked session. What else stands in the grants stays. */
export async function rememberTool(
  client: pg.ClientBase,
  sessionId: string,
  tool: string,
): Promise<void> {
  await client.query({
    name: 'remember-tool',
    text: `UPDATE sessions SET updated_at = now(), grants = jsonb_set(grants, '{tools}',
        CASE WHEN jsonb_typeof(grants->'tools') = 'array' THEN grants->'tools' ELSE '[]' END
          || to_jsonb($2::text))
      WHERE id = $1 AND NOT coalesce(
        jsonb_typeof(grants->'tools') = 'array' AND grants->'tools' @> to_jsonb($2::text), false)`,
    values: [sessionId, tool],
  });
}

function closedEvent(
  { id, kind, status }: Pick<ApprovalRow, 'id' | 'kind' | 'status'>,
  { by, reason }: { by: string | null; reason: string | null },
): NewEvent {
  return {
    type: status === 'expired' ? 'approval.expired' : 'approval.decided',
    data: { approval_id: id, kind, status, by, reason },
  };
}

const lapsed = 'nobody answered in time';
/** An event shows so much of what is asked; the whole stands in the approval. */
const maxShown = 2_000;
