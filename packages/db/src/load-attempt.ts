import type { Failure } from '@loom/shared/api';
import type { PlanSubtask } from '@loom/shared/plan';
import type { SubtaskStatus } from '@loom/shared/statuses';
import type { ClaimedUnit } from '@loom/shared/work';
import { createBatchedLoad } from './batch-loads.ts';
import type { Database } from './database.ts';
import { unitId } from './unit-ids.ts';

/** What a worker needs to know of the task that its unit belongs to. */
export interface TaskBrief {
  goal: string;
  context: Record<string, unknown>;
  workspace: string | null;
}

/** One tool call of an attempt and what came of it. */
export interface RecordedCall {
  tool: string;
  effect: 'read' | 'idempotent' | 'effectful';
  arguments: Record<string, unknown>;
  status: 'intent' | 'done' | 'failed' | 'in_doubt';
  result: string | null;
  exit_code: number | null;
  files_changed: string[];
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
  /** The ledger of the attempt, in order: the evidence of what was really done. */
  calls: RecordedCall[];
  siblings: {
    id: string;
    description: string;
    status: SubtaskStatus;
    summary: string | null;
    deliverables: string[];
  }[];
}

const loaders = new WeakMap<Database, (unit: ClaimedUnit) => Promise<AttemptBrief | null>>();

/** Loads an attempt with its task and its siblings' outcomes; null when it is gone. */
export function loadAttempt(db: Database, unit: ClaimedUnit): Promise<AttemptBrief | null> {
  const load = loaders.get(db) ?? createBatchedLoad((units) => loadAttempts(db, units));
  loaders.set(db, load);
  return load(unit);
}

async function loadAttempts(db: Database, units: ClaimedUnit[]): Promise<(AttemptBrief | null)[]> {
  const { rows } = await db.pool.query<{
    at: number;
    brief: AttemptBrief;
    started_at: Date | null;
  }>({
    name: 'load-attempts',
    text: `SELECT k.at, a.started_at, jsonb_build_object(
        'task', jsonb_build_object('goal', t.goal, 'context', t.context, 'workspace', t.workspace),
        'spec', s.spec, 'feedback', s.feedback, 'error', s.error, 'tier', a.tier, 'model', a.model,
        'summary', a.summary, 'files_changed', to_jsonb(a.files_changed),
        'calls', (SELECT coalesce(jsonb_agg(jsonb_build_object('tool', c.tool, 'effect', c.effect,
            'arguments', c.arguments, 'status', c.status, 'result', c.result, 'exit_code', c.exit_code,
            'files_changed', to_jsonb(c.files_changed)) ORDER BY c.started_at, c.key), '[]')
          FROM tool_calls c WHERE c.unit_id = k.unit_id),
        'siblings', (SELECT jsonb_agg(jsonb_build_object('id', o.id, 'description', o.spec->'description',
            'status', o.status, 'summary', o.summary, 'deliverables', o.spec->'deliverables') ORDER BY o.position)
          FROM subtasks o WHERE o.task_id = s.task_id)) AS brief
      FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[])
        WITH ORDINALITY AS k(task_id, subtask_id, attempt, tenant_id, unit_id, at)
      JOIN attempts a ON a.task_id = k.task_id AND a.subtask_id = k.subtask_id AND a.number = k.attempt
        AND a.tenant_id = k.tenant_id
      JOIN subtasks s ON s.task_id = a.task_id AND s.id = a.subtask_id
      JOIN tasks t ON t.id = a.task_id`,
    values: [
      units.map(({ task_id }) => task_id),
      units.map(({ subtask_id }) => subtask_id),
      units.map(({ attempt }) => attempt),
      units.map(({ tenant_id }) => tenant_id),
      units.map(attemptUnitId),
    ],
  });
  const briefs: (AttemptBrief | null)[] = units.map(() => null);
  for (const { at, brief, started_at } of rows) {
    briefs[at - 1] = { ...brief, started_at: started_at ?? new Date() };
  }
  return briefs;
}

/** The files that an attempt's calls changed, each once, in order. */
export async function loadFilesChanged(db: Database, unit: ClaimedUnit): Promise<string[]> {
  const { rows } = await db.pool.query<{ path: string }>({
    name: 'load-files-changed',
    text: `SELECT DISTINCT unnest(files_changed) AS path FROM tool_calls WHERE unit_id = $1 ORDER BY path`,
    values: [unit.unit_id],
  });
  return rows.map(({ path }) => path);
}

// The verification of an attempt is a unit of its own; the calls belong to the attempt's.
function attemptUnitId({ task_id, subtask_id, attempt }: ClaimedUnit): string {
  return unitId(task_id ?? '', { queue: 'subtasks', subtask_id, attempt });
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
