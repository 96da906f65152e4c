import type { Failure } from './api.ts';
import type { ApprovalDecision, ApprovalKind, ApprovalStatus } from './approval.ts';
import type { BudgetLimits, BudgetScope, Exhaustion, Spent, Wants } from './budget.ts';
import type { NewEvent } from './events.ts';
import type { Plan, PlanError, PlanSubtask } from './plan.ts';
import type { QueueName } from './queues.ts';
import type { SubtaskStatus, TaskStatus, Verification } from './statuses.ts';
import type { TaskPolicy } from './task-policy.ts';
import type { Verdict } from './verdict.ts';

/** How a failure is answered (behaviours, R1). */
export const retryStrategies = [
  'generic',
  'rate_limit',
  'verifier_parse',
  'evidence_gap',
  'unconfirmed_data',
] as const;
export type RetryStrategy = (typeof retryStrategies)[number];

/** What earlier attempts left behind for the next. Replaced as a whole, never changed in place. */
export interface SubtaskTrail {
  /** Signatures of the failures since the last forgiveness: the same one twice is no progress. */
  signatures: string[];
  strategy: RetryStrategy | null;
  /** The failure after which a new plan asked for the same again; meeting it once more is hopeless. */
  failed_before: string | null;
  missing_targets: string[];
  /** Confirm-or-prune attempts made. */
  confirmations: number;
  /** Times the current attempt's result went to a verifier. */
  verification_round: number;
  /** Not started before this instant (milliseconds since 1970). */
  not_before: number | null;
  /** A person paused this subtask. */
  held: boolean;
  /** The plan changed under the attempt that is under way: whatever comes of it is stale. */
  superseded: boolean;
  /** A person has approved an action of the current attempt. */
  seen_by_person: boolean;
}

/** What the engine knows of a subtask. */
export interface SubtaskState {
  id: string;
  spec: PlanSubtask;
  status: SubtaskStatus;
  verification: Verification;
  /** Attempts begun so far; the current one carries this number. */
  attempts: number;
  /** Attempts before a manual retry or a new plan: they no longer count against `max_retries`. */
  attempts_forgiven: number;
  /** Times it was ready but another writer of the same deliverable was active. */
  deferrals: number;
  feedback: string | null;
  summary: string | null;
  error: Failure | null;
  trail: SubtaskTrail;
}

export type StopMode = 'cancel' | 'abort';

/** Guidance from a person: for one subtask, or for all that is still to be done. */
export interface Guidance {
  id: string;
  guidance: string;
  subtask_id: string | null;
}

/** Something an attempt found that the plan did not know. */
export interface Discovery {
  subtask_id: string;
  summary: string;
}

export type ReplanReason =
  | 'subtask_failed'
  | 'discovery'
  | 'interval'
  | 'steered'
  | 'requested'
  | 'stalled';

/** Work that sets right what an exhausted critical subtask left behind. */
export interface Remediation {
  id: string;
  subtask_id: string;
  strategy: RetryStrategy;
  reason_code: string;
  blocking: boolean;
  status: 'queued' | 'running' | 'resolved' | 'failed' | 'expired';
  attempts: number;
  /** When it is due next, and when it is given up (milliseconds since 1970). */
  due_at: number;
  expires_at: number;
  terminal_reason: string | null;
}

/** A question to a person that is still open. */
export interface OpenApproval {
  id: string;
  kind: ApprovalKind;
  subtask_id: string | null;
  attempt: number | null;
  tool: string | null;
  expires_at: number | null;
  on_timeout: 'deny' | 'approve';
  /** What is at stake, for kinds that have no unit to look at. */
  about: string;
}

/** A call that was begun, and of which nobody knows whether it took effect. */
export interface DoubtfulCall {
  key: string;
  subtask_id: string;
  tool: string;
  /** What it was about, in one line. */
  shown: string;
}

/** What the engine remembers of a task's course besides plan and subtasks; small and bounded. */
export interface TaskCourse {
  paused: { by: string; reason: 'request' | 'budget'; exhaustion: Exhaustion | null } | null;
  /** The replan under way; `next` is asked for once it is over. */
  replan: { reason: ReplanReason; detail: string; next: ReplanReason | null } | null;
  replans: number;
  /** Plan versions a person allowed beyond the cap. */
  extra_versions: number;
  /** No further replan: the last one was rejected, or a person refused it. */
  plan_is_final: boolean;
  stall_recoveries: number;
  /** Completions since the plan was last looked at. */
  completions: number;
  guidance: Guidance[];
  discoveries: Discovery[];
  in_doubt: DoubtfulCall[];
  remediations: Remediation[];
  remediation_attempts: number;
  approvals: OpenApproval[];
  approvals_asked: number;
  /** Tools that a person freed for the rest of this task. */
  allowed_tools: string[];
  /** What units have been granted and not yet spent, by unit. */
  holds: Record<string, Wants>;
  exhausted: Exhaustion | null;
  /** When `max_seconds` are over (milliseconds since 1970). */
  deadline: number | null;
  /** Calls by tool, for the action log. */
  actions: Record<string, number>;
}

/** What the engine knows of a task. Everything it decides, it decides from this. */
export interface TaskState {
  id: string;
  goal: string;
  status: TaskStatus;
  verification: Verification;
  plan_version: number;
  /** Times a planner was asked. */
  plan_attempts: number;
  max_parallel: number;
  cancel_mode: StopMode | null;
  errors: Failure[];
  summary: string | null;
  files_changed: string[];
  policy: TaskPolicy;
  limits: BudgetLimits;
  spent: Spent;
  course: TaskCourse;
  /** The next instant at which time alone changes something (milliseconds since 1970). */
  wake_at: number | null;
  subtasks: SubtaskState[];
}

/** What else a decision depends on: the database's clock, and the budgets above the task. */
export interface DecisionContext {
  now: number;
  scopes: BudgetScope[];
}

interface AttemptRef {
  subtask_id: string;
  attempt: number;
}

/** What of an attempt speaks for its result, beside the verdict. */
export interface ConfidenceSignals {
  tier1_ratio: number;
  tier2_confidence: number | null;
  tool_success: number;
  destructive: boolean;
}

/** What can happen to a task. Inputs that name an attempt are ignored once it is not the current one. */
export type TaskInput =
  | { kind: 'created'; plan: Plan | null }
  | { kind: 'planning_started'; attempt: number; resumed: boolean }
  | { kind: 'plan_made'; attempt: number; plan: Plan }
  | { kind: 'plan_invalid'; attempt: number; errors: PlanError[] }
  | { kind: 'plan_unavailable'; attempt: number; reason: string }
  | ({ kind: 'attempt_started'; resumed: boolean } & AttemptRef)
  | ({
      kind: 'attempt_done';
      summary: string;
      files_changed: string[];
      discoveries: string[];
    } & AttemptRef)
  | ({ kind: 'attempt_failed'; failure: Failure } & AttemptRef)
  | ({ kind: 'attempt_cancelled' } & AttemptRef)
  | ({ kind: 'verification_started'; resumed: boolean } & AttemptRef)
  | ({ kind: 'verdict_given'; verdict: Verdict; signals: ConfidenceSignals } & AttemptRef)
  | {
      kind: 'unit_died';
      queue: QueueName;
      subtask_id: string | null;
      attempt: number | null;
      reason: string;
    }
  /** An executor wants to do something that a person must allow; its unit parks in the same commit. */
  | ({
      kind: 'approval_requested';
      call_key: string;
      tool: string;
      arguments: unknown;
      reason: string;
    } & AttemptRef)
  | ({ kind: 'approval_decided'; id: string } & ApprovalDecision)
  /** A unit asks before it makes calls; what its last ones cost stands in `spent` by now. */
  | { kind: 'calls_wanted'; unit: UnitKey; wants: Wants }
  | { kind: 'time_passed' }
  | { kind: 'stop_requested'; mode: StopMode; by: string }
  | { kind: 'subtask_stop_requested'; subtask_id: string; mode: StopMode; by: string }
  | { kind: 'pause_requested'; subtask_id: string | null; by: string }
  | {
      kind: 'resume_requested';
      subtask_id: string | null;
      by: string;
      /** Limits to replace, for a task that paused for its budget. */
      limits: BudgetLimits | null;
    }
  | { kind: 'steer_requested'; guidance: Guidance; by: string }
  | { kind: 'replan_requested'; by: string; reason: string }
  | {
      kind: 'retry_requested';
      by: string;
      subtask_id: string | null;
      /** A new description or model tier for that subtask. */
      description?: string;
      model_tier?: number;
      /** False: a planner looks at the plan before anything runs again. */
      reuse_plan: boolean;
    };

/** Which unit of a task: a plan (no subtask), an attempt, or a verification of an attempt. */
export interface UnitKey {
  queue: 'plans' | 'subtasks' | 'verifications';
  subtask_id: string | null;
  attempt: number | null;
}

/** A unit of work that became runnable. */
export interface NewUnit extends UnitKey {
  /** Model tier for an attempt. */
  tier: number | null;
  /** Grows when the same attempt is verified again. */
  round: number;
}

/** What becomes of a question: it is put, or answered. */
export type ApprovalChange =
  | {
      op: 'open';
      id: string;
      kind: ApprovalKind;
      tool: string | null;
      arguments: unknown;
      reason: string;
      subtask_id: string | null;
      attempt: number | null;
      call_key: string | null;
      expires_at: number | null;
    }
  | {
      op: 'close';
      id: string;
      status: Exclude<ApprovalStatus, 'pending'>;
      by: string | null;
      reason: string | null;
      arguments: Record<string, unknown> | null;
    };

/** How one plan differs from the one before it, by subtask id. */
export interface PlanDiff {
  added: string[];
  changed: string[];
  kept: string[];
}

/** What the engine made of an input. Pure data: the database writes it, the queue rings it. */
export interface TaskDecision {
  state: TaskState;
  events: NewEvent[];
  units: NewUnit[];
  /** Units that are no longer wanted, also those at work: of the whole task, or of these subtasks. */
  withdraw: 'none' | 'all' | { subtask_ids: string[] };
  /** Parked units that may go on: those that wait for a pause to end, or these attempts. */
  wake: { paused: boolean; attempts: AttemptRef[] };
  approvals: ApprovalChange[];
  /** The plan to be kept as this version, when one was accepted. */
  plan: {
    version: number;
    subtasks: PlanSubtask[];
    degraded: boolean;
    reason: string;
    diff: PlanDiff;
  } | null;
}

export type DecideTask = (
  state: TaskState,
  input: TaskInput,
  context: DecisionContext,
) => TaskDecision;
