import type { Failure } from '@loom/shared/api';
import type { PlanSubtask } from '@loom/shared/plan';
import type { SubtaskStatus } from '@loom/shared/statuses';
import type { ClaimedUnit } from '@loom/shared/work';
import type { Database } from './database.ts';

/** What a worker needs to know of the task that its unit belongs to. */
export interface TaskBrief {
  goal: string;
  context: Record<string, unknown>;
  workspace: string | null;
}

/** What a worker needs to know of an attempt. */
export interface AttemptBrief {
  task: TaskBrief;
  spec: PlanSubtask;
  /** What was wrong with the attempt before, if there was one. */
  feedback: string | null;
  error: Failure | null;
  tier: number;
  model: string | null;
  summary: string | null;
  files_changed: string[];
  started_at: Date;
  siblings: {
    id: string;
    description: string;
    status: SubtaskStatus;
    summary: string | null;
    deliverables: string[];
  }[];
}

/** Loads an attempt with its task and its siblings' outcomes in one query; null when it is gone. */
export async function loadAttempt(db: Database, unit: ClaimedUnit): Promise<AttemptBrief | null> {
  const { rows } = await db.pool.query<{ brief: AttemptBrief; started_at: Date | null }>({
    name: 'load-attempt',
    text: `SELECT a.started_at, jsonb_build_object(
        'task', jsonb_build_object('goal', t.goal, 'context', t.context, 'workspace', t.workspace),
        'spec', s.spec, 'feedback', s.feedback, 'error', s.error, 'tier', a.tier, 'model', a.model,
        'summary', a.summary, 'files_changed', to_jsonb(a.files_changed),
        'siblings', (SELECT jsonb_agg(jsonb_build_object('id', o.id, 'description', o.spec->'description',
            'status', o.status, 'summary', o.summary, 'deliverables', o.spec->'deliverables') ORDER BY o.position)
          FROM subtasks o WHERE o.task_id = s.task_id)) AS brief
      FROM attempts a
      JOIN subtasks s ON s.task_id = a.task_id AND s.id = a.subtask_id
      JOIN tasks t ON t.id = a.task_id
      WHERE a.task_id = $1 AND a.subtask_id = $2 AND a.number = $3 AND a.tenant_id = $4`,
    values: [unit.task_id, unit.subtask_id, unit.attempt, unit.tenant_id],
  });
  const [row] = rows;
  return row === undefined ? null : { ...row.brief, started_at: row.started_at ?? new Date() };
}

/** What happened in an attempt's tool calls, in order. */
export interface RecordedCall {
  tool: string;
  effect: 'read' | 'idempotent' | 'effectful';
  arguments: Record<string, unknown>;
  status: 'intent' | 'done' | 'failed' | 'in_doubt';
  result: string | null;
  exit_code: number | null;
  files_changed: string[];
}

/** The ledger of one attempt: the evidence of what was really done. */
export async function loadRecordedCalls(db: Database, unit: ClaimedUnit): Promise<RecordedCall[]> {
  const { rows } = await db.pool.query<RecordedCall>({
    name: 'load-recorded-calls',
    text: `SELECT tool, effect, arguments, status, result, exit_code, files_changed FROM tool_calls
      WHERE unit_id = $1 ORDER BY started_at, key`,
    values: [`${unit.task_id}.${unit.subtask_id}.${unit.attempt}`],
  });
  return rows;
}

/** The task of a plan unit. */
export async function loadTaskBrief(db: Database, unit: ClaimedUnit): Promise<TaskBrief | null> {
  const { rows } = await db.pool.query<TaskBrief>({
    name: 'load-task-brief',
    text: 'SELECT goal, context, workspace FROM tasks WHERE id = $1 AND tenant_id = $2',
    values: [unit.task_id, unit.tenant_id],
  });
  return rows[0] ?? null;
}
