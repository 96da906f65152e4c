import type { Failure } from '@loom/shared/api';
import type { MemoryType } from '@loom/shared/memory';
import type { PlanSubtask } from '@loom/shared/plan';
import { isTerminalSubtask, type SubtaskStatus } from '@loom/shared/statuses';
import { emptyTrail, unpackRecord } from '@loom/shared/task-course';
import type { TaskPolicy } from '@loom/shared/task-policy';
import type {
  Discovery,
  Guidance,
  Remediation,
  StopMode,
  SubtaskTrail,
  TaskCourse,
} from '@loom/shared/task-state';
import type { ClaimedUnit } from '@loom/shared/work';
import { createBatchedLoad } from './batch-loads.ts';
import type { Database } from './database.ts';
import { type SessionGrants, taskGrantsSql, toGrants } from './session-grants.ts';
import { type StoredApproval, storedApprovalsSql } from './stored-approval.ts';
import { unitId } from './unit-ids.ts';

/** What a worker needs to know of the task that its unit belongs to. */
interface TaskBrief {
  goal: string;
  context: Record<string, unknown>;
  workspace: string | null;
  /** Directories beside the workspace that its calls may read, whatever its session grants. */
  read_roots: string[];
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
  /** What was learnt from other subtasks of the task, oldest first. */
  memory: { type: MemoryType; summary: string; subtask_id: string }[];
  /** What earlier attempts left behind. */
  trail: SubtaskTrail;
  /** Files that earlier attempts changed, each once. */
  files_changed_before: string[];
  /** The item that this attempt is to set right, if it is one. */
  remediation: Remediation | null;
  /** Everything people have said to this subtask so far, oldest first. */
  guidance: Guidance[];
  /** What the other subtasks of the task have found so far, oldest first. */
  discoveries: Discovery[];
  /** Someone asked the task or this subtask to stop, its time is over, or the plan changed under it. */
  stopping: boolean;
  /** Someone paused the task or this subtask. */
  pausing: boolean;
  approval_policy: TaskPolicy['approval'];
  /** Tools that a person freed for the task. */
  allowed_tools: string[];
  /** What its session granted when it was loaded; the session may end while the attempt runs. */
  granted: SessionGrants;
  /** What people said about calls of this attempt. */
  approvals: StoredApproval[];
  /** Time this unit was parked, and times in a row that it was for a model. */
  parked_seconds: number;
  model_parks: number;
}

/** What is not taken from the database as it stands there. */
type Derived =
  | 'trail'
  | 'remediation'
  | 'guidance'
  | 'discoveries'
  | 'stopping'
  | 'pausing'
  | 'allowed_tools'
  | 'granted'
  | 'started_at'
  | keyof Parking;

interface Parking {
  parked_seconds: number;
  model_parks: number;
}

interface AttemptRow {
  at: number;
  brief: Omit<AttemptBrief, Derived>;
  started_at: Date | null;
  status: SubtaskStatus;
  cancel_mode: StopMode | null;
  course: Partial<TaskCourse> | null;
  trail: Partial<SubtaskTrail> | null;
  grants: Record<string, unknown> | null;
  parking: Parking | null;
}

/** Whose attempt, and how many of the newest entries of the task's memory come with it. */
type WantedAttempt = ClaimedUnit & { memory_entries: number };

const loaders = new WeakMap<Database, (unit: WantedAttempt) => Promise<AttemptBrief | null>>();

/** Loads an attempt with its task and its siblings' outcomes; null when it is gone. */
export function loadAttempt(
  db: Database,
  unit: ClaimedUnit,
  options: { memory_entries?: number } = {},
): Promise<AttemptBrief | null> {
  const load = loaders.get(db) ?? createBatchedLoad((units) => loadAttempts(db, units));
  loaders.set(db, load);
  return load({ ...unit, memory_entries: options.memory_entries ?? 0 });
}

async function loadAttempts(
  db: Database,
  units: WantedAttempt[],
): Promise<(AttemptBrief | null)[]> {
  const { rows } = await db.pool.query<AttemptRow>({
    name: 'load-attempts',
    // What only a retry or a second claim can have is not looked for in others. The arrays are
    // selected so that their lengths are unknown to the planner: a plan made for one of them is
    // never cheaper, so the prepared one is kept (0.6 ms for one unit instead of 1.4).
    text: `SELECT k.at, a.started_at, s.status, t.cancel_mode, t.course, s.trail,
        ${taskGrantsSql} AS grants,
        CASE WHEN k.epoch > 1 THEN (SELECT jsonb_build_object('parked_seconds', u.parked_seconds,
          'model_parks', u.model_parks) FROM units u WHERE u.id = k.unit_id) END AS parking,
        jsonb_build_object(
        'task', jsonb_build_object('goal', t.goal, 'context', t.context, 'workspace', t.workspace,
          'read_roots', to_jsonb(t.read_roots)),
        'spec', s.spec, 'feedback', s.feedback, 'error', s.error, 'tier', a.tier, 'model', a.model,
        'summary', a.summary, 'files_changed', to_jsonb(a.files_changed),
        'approval_policy', (SELECT p.policy->'approval' FROM policies p WHERE p.id = t.policy_id),
        'approvals', CASE WHEN k.epoch > 1 THEN ${storedApprovalsSql('k.unit_id')} ELSE '[]' END,
        'files_changed_before', CASE WHEN k.attempt > 1 THEN (
            SELECT coalesce(jsonb_agg(DISTINCT path), '[]') FROM tool_calls b, unnest(b.files_changed) AS path
            WHERE b.task_id = k.task_id AND b.subtask_id = k.subtask_id AND b.attempt < k.attempt)
          ELSE '[]' END,
        'memory', CASE WHEN k.memory > 0 THEN (
            SELECT coalesce(jsonb_agg(jsonb_build_object('type', m.type, 'summary', m.summary,
              'subtask_id', m.subtask_id) ORDER BY m.id), '[]')
            FROM (SELECT e.id, e.type, e.summary, e.subtask_id FROM memory_entries e
              WHERE e.task_id = k.task_id AND e.subtask_id <> k.subtask_id
              ORDER BY e.id DESC LIMIT k.memory) m)
          ELSE '[]' END,
        'calls', (SELECT coalesce(jsonb_agg(jsonb_build_object('tool', c.tool, 'effect', c.effect,
            'arguments', c.arguments, 'status', c.status, 'result', c.result, 'exit_code', c.exit_code,
            'files_changed', to_jsonb(c.files_changed)) ORDER BY c.started_at, c.key), '[]')
          FROM tool_calls c WHERE c.unit_id = k.attempt_unit_id),
        'siblings', (SELECT jsonb_agg(jsonb_build_object('id', o.id, 'description', o.spec->'description',
            'status', o.status, 'summary', o.summary, 'deliverables', o.spec->'deliverables') ORDER BY o.position)
          FROM subtasks o WHERE o.task_id = s.task_id)) AS brief
      FROM unnest((SELECT $1::text[]), (SELECT $2::text[]), (SELECT $3::int[]), (SELECT $4::text[]),
          (SELECT $5::text[]), (SELECT $6::text[]), (SELECT $7::int[]), (SELECT $8::int[]))
        WITH ORDINALITY AS k(task_id, subtask_id, attempt, tenant_id, attempt_unit_id, unit_id, epoch, memory, at)
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
      units.map(({ unit_id }) => unit_id),
      units.map(({ epoch }) => epoch),
      units.map(({ memory_entries }) => memory_entries),
    ],
  });
  const briefs: (AttemptBrief | null)[] = units.map(() => null);
  for (const row of rows) briefs[row.at - 1] = toBrief(row);
  return briefs;
}

function toBrief(row: AttemptRow): AttemptBrief {
  const { brief, status, cancel_mode, course, grants } = row;
  const trail = unpackRecord(row.trail, emptyTrail);
  const { id } = brief.spec;
  const isOvertime = course?.exhausted?.budget === 'max_seconds';
  return {
    ...brief,
    ...(row.parking ?? { parked_seconds: 0, model_parks: 0 }),
    started_at: row.started_at ?? new Date(),
    trail,
    guidance: (course?.guidance ?? []).filter(
      ({ subtask_id }) => subtask_id === null || subtask_id === id,
    ),
    discoveries: (course?.discoveries ?? []).filter(({ subtask_id }) => subtask_id !== id),
    remediation:
      course?.remediations?.find((item) => item.subtask_id === id && item.status === 'running') ??
      null,
    stopping: cancel_mode !== null || isOvertime || trail.superseded || isTerminalSubtask(status),
    pausing: (course?.paused ?? null) !== null || trail.held,
    allowed_tools: course?.allowed_tools ?? [],
    granted: toGrants(grants),
  };
}

/** The directories beside the workspace that an attempt may read, each once. */
export function readableRoots(
  { read_roots }: Pick<TaskBrief, 'read_roots'>,
  granted: Pick<SessionGrants, 'read_roots'>,
): string[] {
  return [...new Set([...read_roots, ...granted.read_roots])].sort();
}

/** What an attempt's calls did: the files they changed, each once, and what was found on the way. */
export async function loadDeeds(
  db: Database,
  unit: ClaimedUnit,
): Promise<{ files_changed: string[]; discoveries: string[] }> {
  const { rows } = await db.pool.query<{ files_changed: string[]; discoveries: string[] }>({
    name: 'load-deeds',
    text: `SELECT
        ARRAY(SELECT DISTINCT unnest(files_changed) AS path FROM tool_calls WHERE unit_id = $1
          ORDER BY path) AS files_changed,
        ARRAY(SELECT arguments->>'summary' FROM tool_calls
          WHERE unit_id = $1 AND tool = 'record_discovery' AND status = 'done'
          ORDER BY started_at, key LIMIT 20) AS discoveries`,
    values: [unit.unit_id],
  });
  return rows[0] ?? { files_changed: [], discoveries: [] };
}

// The verification of an attempt is a unit of its own; the calls belong to the attempt's.
function attemptUnitId({ task_id, subtask_id, attempt }: ClaimedUnit): string {
  return unitId(task_id ?? '', { queue: 'subtasks', subtask_id, attempt });
}
