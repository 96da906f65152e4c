import type { Failure } from '@loom/shared/api';
import type { BudgetScope } from '@loom/shared/budget';
import type { NewEvent } from '@loom/shared/events';
import type { PlanSubtask } from '@loom/shared/plan';
import type { Ring } from '@loom/shared/queues';
import type { PlanDiff, SubtaskState, TaskDecision, TaskState } from '@loom/shared/task-state';
import type { Verdict } from '@loom/shared/verdict';
import type { LedgerEntry } from '@loom/shared/work';
import type { TaskRow, UnitRow } from './task-rows.ts';

interface AttemptPatch {
  task_id: string;
  subtask_id: string;
  number: number;
  tenant_id: string;
  status?: string;
  tier?: number;
  model?: string;
  summary?: string;
  error?: Failure;
  files_changed?: string[];
  started?: boolean;
  ended?: boolean;
}

interface UnitInsert {
  id: string;
  tenant_id: string;
  queue: string;
  task_id: string;
  session_id: string | null;
  subtask_id: string | null;
  attempt: number | null;
  /** Claimed: right here, for this process. Parked: its task is paused. */
  status: 'waiting' | 'claimed' | 'parked' | 'done';
}

interface UnitPatch {
  id: string;
  status: string;
  epoch: number;
  starts: number;
  leased: boolean;
  dead_reason: string | null;
  /** Why it is parked, and for how many seconds at most; null when it is not. */
  parked_for: string | null;
  park_seconds: number | null;
}

interface JournalLine {
  unit_id: string;
  seq: number;
  tenant_id: string;
  role: string;
  content: string;
  tool_calls: unknown;
  tool_call_id: string | null;
  tool_name: string | null;
}

/** A question that is put, answered, or both within one set. */
interface ApprovalRow {
  id: string;
  tenant_id: string;
  task_id: string;
  session_id: string | null;
  turn_id: string | null;
  kind?: string;
  tool?: string | null;
  arguments?: unknown;
  reason?: string;
  subtask_id?: string | null;
  attempt?: number | null;
  unit_id?: string | null;
  call_key?: string | null;
  expires_at?: string | null;
  status?: string;
  decided_by?: string | null;
  decision_reason?: string | null;
  decided_arguments?: unknown;
}

/** One task of a set: its row, its state as decided so far, and what it adds to the streams. */
export interface TaskWork {
  row: TaskRow;
  state: TaskState;
  before: Map<string, SubtaskState>;
  /** The budgets above it. */
  scopes: BudgetScope[];
  events: NewEvent[];
  ended: boolean;
  /** Units to take back: all of the task's, or those of some subtasks. */
  withdraw: 'none' | 'all' | Set<string>;
  wake: TaskDecision['wake'];
  /** Subtasks somebody ended, whose workers are to stop now. */
  stopped: string[];
}

/** Everything one set of transitions writes, gathered before a single statement writes it. */
export interface TaskBatch {
  tasks: Map<string, TaskWork>;
  scopes: BudgetScope[];
  units: Map<string, UnitRow>;
  attempts: Map<string, AttemptPatch>;
  newUnits: UnitInsert[];
  unitPatches: Map<string, UnitPatch>;
  plans: {
    task_id: string;
    version: number;
    tenant_id: string;
    subtasks: PlanSubtask[];
    degraded: boolean;
    reason: string;
    diff: PlanDiff;
  }[];
  approvals: Map<string, ApprovalRow>;
  verdicts: (Verdict & {
    task_id: string;
    subtask_id: string;
    attempt: number;
    tenant_id: string;
  })[];
  journal: JournalLine[];
  ledger: (LedgerEntry & { unit_id: string; tenant_id: string; unit: UnitRow })[];
  rings: Ring[];
}

export function emptyBatch(): TaskBatch {
  return {
    tasks: new Map(),
    scopes: [],
    units: new Map(),
    attempts: new Map(),
    newUnits: [],
    unitPatches: new Map(),
    plans: [],
    approvals: new Map(),
    verdicts: [],
    journal: [],
    ledger: [],
    rings: [],
  };
}

/** Adds to what is known of an attempt; within a set the last word wins. */
export function patchAttempt(batch: TaskBatch, patch: AttemptPatch): void {
  const key = `${patch.task_id}.${patch.subtask_id}.${patch.number}`;
  batch.attempts.set(key, { ...batch.attempts.get(key), ...patch });
}

/** Changes a unit now, in the copy that later changes of the same set look at, and at the write. */
export function patchUnit(
  batch: TaskBatch,
  unit: UnitRow,
  patch: Partial<UnitPatch> & { status: string },
): void {
  unit.status = patch.status;
  unit.epoch = patch.epoch ?? unit.epoch;
  unit.starts = patch.starts ?? unit.starts;
  unit.parked_for = patch.parked_for ?? null;
  batch.unitPatches.set(unit.id, {
    id: unit.id,
    status: unit.status,
    epoch: unit.epoch,
    starts: unit.starts,
    leased: patch.leased ?? unit.status === 'claimed',
    dead_reason: patch.dead_reason ?? null,
    parked_for: patch.parked_for ?? null,
    park_seconds: patch.park_seconds ?? null,
  });
}
