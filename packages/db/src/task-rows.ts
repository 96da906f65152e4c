import type { PlanSubtask } from '@loom/shared/plan';
import type { SubtaskStatus } from '@loom/shared/statuses';
import type { SubtaskState, TaskState } from '@loom/shared/task-state';
import type pg from 'pg';

/** A locked task: its state without subtasks, and what its streams need. */
export interface TaskRow extends Omit<TaskState, 'subtasks'> {
  tenant_id: string;
  session_id: string | null;
  turn_id: string | null;
  tool_call_id: string | null;
  turn_waits: boolean;
  last_seq: number;
}

interface SubtaskRow extends Omit<SubtaskState, 'spec'> {
  task_id: string;
  spec: PlanSubtask;
  status: SubtaskStatus;
}

/** A unit as the commit path sees it. */
export interface UnitRow {
  id: string;
  queue: 'turns' | 'plans' | 'subtasks' | 'verifications' | 'deliveries';
  status: string;
  epoch: number;
  starts: number;
  tenant_id: string;
  task_id: string | null;
  subtask_id: string | null;
  attempt: number | null;
  session_id: string | null;
  turn_id: string | null;
  last_error: string | null;
}

/** Locks tasks in id order, so that two sets never wait for each other in a circle. */
export async function lockTasks(
  client: pg.ClientBase,
  ids: string[],
): Promise<Map<string, TaskRow>> {
  const { rows } = await client.query<TaskRow>({
    name: 'lock-tasks',
    text: `SELECT id, tenant_id, session_id, turn_id, tool_call_id, turn_waits, goal, status, verification,
        plan_version, plan_attempts, max_parallel, cancel_mode, errors, summary, files_changed, last_seq
      FROM tasks WHERE id = ANY($1) ORDER BY id FOR UPDATE`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

export async function lockUnits(
  client: pg.ClientBase,
  ids: string[],
): Promise<Map<string, UnitRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await client.query<UnitRow>({
    name: 'lock-units',
    text: `SELECT id, queue, status, epoch, starts, tenant_id, task_id, subtask_id, attempt, session_id,
        turn_id, last_error
      FROM units WHERE id = ANY($1) ORDER BY id FOR UPDATE`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Loads the subtasks of tasks that are already locked: a statement of its own, so that it sees what the lock waited for. */
export async function loadSubtasks(
  client: pg.ClientBase,
  taskIds: string[],
): Promise<Map<string, SubtaskState[]>> {
  const found = new Map<string, SubtaskState[]>(taskIds.map((id) => [id, []]));
  if (taskIds.length === 0) return found;
  const { rows } = await client.query<SubtaskRow>({
    name: 'load-subtasks',
    text: `SELECT task_id, id, spec, status, verification, attempts, attempts_forgiven, deferrals,
        feedback, summary, error
      FROM subtasks WHERE task_id = ANY($1) ORDER BY task_id, position`,
    values: [taskIds],
  });
  for (const { task_id, ...subtask } of rows) found.get(task_id)?.push(subtask);
  return found;
}

/** The engine's view of a locked task. */
export function toTaskState(row: TaskRow, subtasks: SubtaskState[]): TaskState {
  return {
    id: row.id,
    goal: row.goal,
    status: row.status,
    verification: row.verification,
    plan_version: row.plan_version,
    plan_attempts: row.plan_attempts,
    max_parallel: row.max_parallel,
    cancel_mode: row.cancel_mode,
    errors: row.errors,
    summary: row.summary,
    files_changed: row.files_changed,
    subtasks,
  };
}
