import type { Attempt, PlanVersion, Subtask, Task, TaskListItem } from '@loom/shared/api';
import type { PlanSubtask } from '@loom/shared/plan';
import type { TaskStatus } from '@loom/shared/statuses';
import type { Remediation } from '@loom/shared/task-state';
import type { Database } from '../database.ts';
import { type ApprovalRow, approvalColumns, toApproval } from './approvals.ts';
import { type AttemptRow, attemptColumns, toAttempt } from './attempts.ts';
import { decodeCursor, type Page, toPage } from './keyset-cursor.ts';
import { onOneConnection } from './one-connection.ts';
import { toIso, toIsoOrNull } from './row-values.ts';

type StoredColumns = Omit<TaskListItem, 'budget_used' | 'created_at' | 'started_at' | 'ended_at'>;

interface TaskRow extends StoredColumns {
  tokens_used: number;
  cost_micros: number;
  model_calls: number;
  tool_calls: number;
  mutating_tool_calls: number;
  replans: number;
  remediation_attempts: number;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
}

type SubtaskRow = Pick<
  Subtask,
  'id' | 'status' | 'verification' | 'paused' | 'summary' | 'error'
> & {
  spec: PlanSubtask;
};

type PlanRow = Omit<PlanVersion, 'created_at'> & { created_at: Date };

const taskColumns = `id, goal, status, verification, session_id, turn_id, workspace, read_roots, metadata,
  plan_version, budget, tokens_used, cost_micros, model_calls, tool_calls, mutating_tool_calls,
  COALESCE((course ->> 'replans')::int, 0) AS replans,
  COALESCE((course ->> 'remediation_attempts')::int, 0) AS remediation_attempts,
  approval_mode, callback_url, errors, summary, files_changed, created_at, started_at, ended_at`;

/** One task as the contract shows it: plans, subtasks, their attempts and verdicts, open questions. */
export async function getTask(
  db: Database,
  params: { tenant_id: string; task_id: string },
): Promise<Task | null> {
  const key = [params.task_id, params.tenant_id];
  const [tasks, plans, approvals, subtasks, attempts] = await onOneConnection(db, (client) =>
    Promise.all([
      client.query<TaskRow & { context: Task['context']; remediations: Remediation[] }>(
        `SELECT ${taskColumns}, context, COALESCE(course -> 'remediations', '[]') AS remediations
         FROM tasks WHERE id = $1 AND tenant_id = $2`,
        key,
      ),
      client.query<PlanRow>(
        `SELECT version, reason, degraded, diff, subtasks, created_at FROM plans
         WHERE task_id = $1 AND tenant_id = $2 ORDER BY version`,
        key,
      ),
      client.query<ApprovalRow>(
        `SELECT ${approvalColumns} FROM approvals
         WHERE task_id = $1 AND tenant_id = $2 AND status = 'pending' ORDER BY requested_at, id`,
        key,
      ),
      client.query<SubtaskRow>(
        `SELECT id, spec, status, verification, summary, error,
           coalesce((trail->>'held')::boolean, false) AS paused FROM subtasks
         WHERE task_id = $1 AND tenant_id = $2 ORDER BY position, id`,
        key,
      ),
      client.query<AttemptRow>(
        `SELECT ${attemptColumns} FROM attempts a
         LEFT JOIN verdicts v ON v.task_id = a.task_id AND v.subtask_id = a.subtask_id
           AND v.attempt = a.number AND v.tenant_id = a.tenant_id
         WHERE a.task_id = $1 AND a.tenant_id = $2 ORDER BY a.subtask_id, a.number`,
        key,
      ),
    ]),
  );
  const task = tasks.rows[0];
  if (task === undefined) return null;
  return {
    ...toListItem(task),
    context: task.context,
    plans: plans.rows.map((row) => ({ ...row, created_at: toIso(row.created_at) })),
    remediations: task.remediations.map(toRemediation),
    approvals: approvals.rows.map(toApproval),
    subtasks: subtasks.rows.map((row) => {
      const own = attempts.rows.filter((attempt) => attempt.subtask_id === row.id);
      return toSubtask(row, own.map(toAttempt));
    }),
  };
}

/** The task itself, without anything that belongs to it. */
export async function getTaskHead(
  db: Database,
  params: { tenant_id: string; task_id: string },
): Promise<(TaskListItem & Pick<Task, 'context'>) | null> {
  const { rows } = await db.pool.query<TaskRow & Pick<Task, 'context'>>(
    `SELECT ${taskColumns}, context FROM tasks WHERE id = $1 AND tenant_id = $2`,
    [params.task_id, params.tenant_id],
  );
  return rows[0] === undefined ? null : { ...toListItem(rows[0]), context: rows[0].context };
}

interface TaskListQuery {
  tenant_id: string;
  status?: TaskStatus;
  session_id?: string;
  limit: number;
  cursor?: string;
}

/** A tenant's tasks, newest first. */
export async function listTasks(db: Database, params: TaskListQuery): Promise<Page<TaskListItem>> {
  const after = decodeCursor(params.cursor);
  const { rows } = await db.pool.query<TaskRow>(
    `SELECT ${taskColumns} FROM tasks
     WHERE tenant_id = $1
       AND ($2::text IS NULL OR status = $2)
       AND ($3::text IS NULL OR session_id = $3)
       AND ($4::timestamptz IS NULL OR (created_at, id) < ($4, $5))
     ORDER BY created_at DESC, id DESC LIMIT $6`,
    [
      params.tenant_id,
      params.status ?? null,
      params.session_id ?? null,
      after?.at ?? null,
      after?.id ?? null,
      params.limit + 1,
    ],
  );
  return toPage(rows.map(toListItem), params.limit, ({ created_at, id }) => ({
    at: created_at,
    id,
  }));
}

function toListItem(row: TaskRow): TaskListItem {
  return {
    id: row.id,
    goal: row.goal,
    status: row.status,
    verification: row.verification,
    session_id: row.session_id,
    turn_id: row.turn_id,
    workspace: row.workspace,
    read_roots: row.read_roots,
    metadata: row.metadata,
    plan_version: row.plan_version,
    budget: row.budget,
    budget_used: {
      tokens: row.tokens_used,
      cost_usd: row.cost_micros / 1_000_000,
      model_calls: row.model_calls,
      tool_calls: row.tool_calls,
      mutating_tool_calls: row.mutating_tool_calls,
      replans: row.replans,
      remediation_attempts: row.remediation_attempts,
    },
    approval_mode: row.approval_mode,
    callback_url: row.callback_url,
    errors: row.errors,
    summary: row.summary,
    files_changed: row.files_changed,
    created_at: toIso(row.created_at),
    started_at: toIsoOrNull(row.started_at),
    ended_at: toIsoOrNull(row.ended_at),
  };
}

function toRemediation({ due_at, expires_at, ...item }: Remediation): Task['remediations'][number] {
  return {
    ...item,
    due_at: toIso(new Date(due_at)),
    expires_at: toIso(new Date(expires_at)),
  };
}

function toSubtask(row: SubtaskRow, attempts: Attempt[]): Subtask {
  const { spec } = row;
  return {
    id: row.id,
    description: spec.description,
    status: row.status,
    verification: row.verification,
    paused: row.paused,
    depends_on: spec.depends_on,
    model_tier: spec.model_tier,
    verification_tier: spec.verification_tier,
    is_critical_path: spec.is_critical_path,
    is_synthesis: spec.is_synthesis,
    max_retries: spec.max_retries,
    acceptance_criteria: spec.acceptance_criteria,
    deliverables: spec.deliverables,
    summary: row.summary,
    error: row.error,
    attempts,
  };
}

/** Where a task stands, without its subtasks. */
export async function getTaskStatus(
  db: Database,
  params: { tenant_id: string; task_id: string },
): Promise<TaskStatus | null> {
  const { rows } = await db.pool.query<{ status: TaskStatus }>(
    'SELECT status FROM tasks WHERE id = $1 AND tenant_id = $2',
    [params.task_id, params.tenant_id],
  );
  return rows[0]?.status ?? null;
}
