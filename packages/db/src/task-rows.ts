import type { Spent } from '@loom/shared/budget';
import type { PlanSubtask } from '@loom/shared/plan';
import type { SubtaskStatus } from '@loom/shared/statuses';
import { emptyCourse, emptyTrail, unpackRecord } from '@loom/shared/task-course';
import type { TaskPolicy } from '@loom/shared/task-policy';
import type { SubtaskState, SubtaskTrail, TaskCourse, TaskState } from '@loom/shared/task-state';
import type pg from 'pg';

type StoredState = Omit<TaskState, 'subtasks' | 'policy' | 'spent' | 'course'>;

/** A locked task: its state as it is stored, and what its streams need. */
export interface TaskRow extends StoredState, Spent {
  tenant_id: string;
  session_id: string | null;
  turn_id: string | null;
  tool_call_id: string | null;
  turn_waits: boolean;
  last_seq: number;
  policy_id: string;
  course: Partial<TaskCourse> | null;
  callback_url: string | null;
  metadata: Record<string, unknown>;
  /** Whether a budget above it limits something. */
  limited: boolean;
  /** The database's clock, by which everything is decided (milliseconds since 1970). */
  now: number;
}

interface SubtaskRow extends Omit<SubtaskState, 'spec' | 'trail'> {
  task_id: string;
  spec: PlanSubtask;
  status: SubtaskStatus;
  trail: Partial<SubtaskTrail> | null;
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
  /** Why it was parked last, until it is claimed again. */
  parked_for: string | null;
  /** Its subtask's: a change that only adds to a journal loads no subtasks, but must know of a pause. */
  trail?: Partial<SubtaskTrail> | null;
}

/** Locks tasks in id order, so that two sets never wait for each other in a circle. */
export async function lockTasks(
  client: pg.ClientBase,
  ids: string[],
): Promise<Map<string, TaskRow>> {
  const { rows } = await client.query<TaskRow>({
    name: 'lock-tasks',
    text: `SELECT id, tenant_id, session_id, turn_id, tool_call_id, turn_waits, goal, status, verification,
        plan_version, plan_attempts, max_parallel, cancel_mode, errors, summary, files_changed, last_seq,
        policy_id, course, budget AS limits, callback_url, metadata, tokens_used AS tokens, cost_micros,
        model_calls, tool_calls, mutating_tool_calls, (extract(epoch FROM wake_at) * 1000)::float8 AS wake_at,
        EXISTS (SELECT 1 FROM budgets b WHERE b.id IN (tasks.session_id, tasks.tenant_id)) AS limited,
        floor(extract(epoch FROM now()) * 1000)::float8 AS now
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
        turn_id, last_error, parked_for,
        (SELECT s.trail FROM subtasks s WHERE s.task_id = units.task_id AND s.id = units.subtask_id) AS trail
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
        feedback, summary, error, trail
      FROM subtasks WHERE task_id = ANY($1) ORDER BY task_id, position`,
    values: [taskIds],
  });
  for (const { task_id, trail, ...subtask } of rows) {
    found.get(task_id)?.push({ ...subtask, trail: unpackRecord(trail, emptyTrail) });
  }
  return found;
}

/** The engine's view of a locked task. */
export function toTaskState(row: TaskRow, subtasks: SubtaskState[], policy: TaskPolicy): TaskState {
  const { tokens, cost_micros, model_calls, tool_calls, mutating_tool_calls } = row;
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
    policy,
    limits: row.limits,
    spent: { tokens, cost_micros, model_calls, tool_calls, mutating_tool_calls },
    course: unpackRecord(row.course, emptyCourse),
    wake_at: row.wake_at,
    subtasks,
  };
}
