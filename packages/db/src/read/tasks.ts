import type { Attempt, Subtask, Task, TaskListItem } from '@loom/shared/api';
import type { PlanSubtask } from '@loom/shared/plan';
import type { TaskStatus } from '@loom/shared/statuses';
import type { Database } from '../database.ts';
import { type AttemptRow, attemptColumns, toAttempt } from './attempts.ts';
import { decodeCursor, type Page, toPage } from './keyset-cursor.ts';
import { toIso, toIsoOrNull } from './row-values.ts';

type StoredColumns = Omit<TaskListItem, 'budget_used' | 'created_at' | 'started_at' | 'ended_at'>;

interface TaskRow extends StoredColumns {
  tokens_used: number;
  model_calls: number;
  tool_calls: number;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
}

type SubtaskRow = Pick<Subtask, 'id' | 'status' | 'verification' | 'summary' | 'error'> & {
  spec: PlanSubtask;
};

const taskColumns = `id, goal, status, verification, session_id, turn_id, workspace, metadata,
  plan_version, budget, tokens_used, model_calls, tool_calls, errors, summary, files_changed,
  created_at, started_at, ended_at`;

/** One task as the contract shows it: subtasks, their attempts, their verdicts. */
export async function getTask(
  db: Database,
  params: { tenant_id: string; task_id: string },
): Promise<Task | null> {
  const key = [params.task_id, params.tenant_id];
  const [tasks, subtasks, attempts] = await Promise.all([
    db.pool.query<TaskRow & { context: Task['context'] }>(
      `SELECT ${taskColumns}, context FROM tasks WHERE id = $1 AND tenant_id = $2`,
      key,
    ),
    db.pool.query<SubtaskRow>(
      `SELECT id, spec, status, verification, summary, error FROM subtasks
       WHERE task_id = $1 AND tenant_id = $2 ORDER BY position, id`,
      key,
    ),
    db.pool.query<AttemptRow>(
      `SELECT ${attemptColumns} FROM attempts a
       LEFT JOIN verdicts v ON v.task_id = a.task_id AND v.subtask_id = a.subtask_id
         AND v.attempt = a.number AND v.tenant_id = a.tenant_id
       WHERE a.task_id = $1 AND a.tenant_id = $2 ORDER BY a.subtask_id, a.number`,
      key,
    ),
  ]);
  const task = tasks.rows[0];
  if (task === undefined) return null;
  return {
    ...toListItem(task),
    context: task.context,
    subtasks: subtasks.rows.map((row) => {
      const own = attempts.rows.filter((attempt) => attempt.subtask_id === row.id);
      return toSubtask(row, own.map(toAttempt));
    }),
  };
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
    metadata: row.metadata,
    plan_version: row.plan_version,
    budget: row.budget,
    budget_used: {
      tokens: row.tokens_used,
      model_calls: row.model_calls,
      tool_calls: row.tool_calls,
    },
    errors: row.errors,
    summary: row.summary,
    files_changed: row.files_changed,
    created_at: toIso(row.created_at),
    started_at: toIsoOrNull(row.started_at),
    ended_at: toIsoOrNull(row.ended_at),
  };
}

function toSubtask(row: SubtaskRow, attempts: Attempt[]): Subtask {
  const { spec } = row;
  return {
    id: row.id,
    description: spec.description,
    status: row.status,
    verification: row.verification,
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
