import type { CreateSession, CreateTurn, Session, TurnAccepted } from './api.ts';
import type { Approval, ApprovalMode, DecideApproval } from './approval.ts';
import type { BudgetLimits } from './budget.ts';
import type { Plan } from './plan.ts';
import type { CriticalPathBehavior, PhaseMode } from './task-policy.ts';
import type { StopMode } from './task-state.ts';

/** Who asks: every write names its tenant and its actor. */
export interface Caller {
  tenant_id: string;
  /** The api key's id, for audit rows and events. */
  actor: string;
}

/** A client's Idempotency-Key with the hash of method, path and body. */
export interface Idempotency {
  key: string;
  request_hash: string;
}

/** A committed answer; `replayed` when an earlier request with the same key made it. */
export interface Accepted<T> {
  status: number;
  body: T;
  replayed: boolean;
}

export interface NewTask {
  goal: string;
  context: Record<string, unknown>;
  workspace: string | null;
  /** Real paths that may be read beside the workspace; those of its session come on top. */
  read_roots?: string[];
  process: string | null;
  /** Null: the session's, else the configured one. */
  approval_mode: ApprovalMode | null;
  phase_mode: PhaseMode | null;
  phases: Plan['subtasks'];
  critical_path_behavior: CriticalPathBehavior | null;
  callback_url: string | null;
  budget: BudgetLimits;
  metadata: Record<string, unknown>;
  session_id: string | null;
  plan: Plan | null;
}

export interface RetryOptions {
  subtask_id: string | null;
  description?: string;
  model_tier?: number;
  reuse_existing_plan: boolean;
}

/**
 * Everything the outside can ask to be written. Each call commits row and events, then rings;
 * a refusal is an AppError and leaves nothing behind.
 */
export interface Intake {
  createSession(
    caller: Caller,
    input: CreateSession,
    idempotency: Idempotency | null,
  ): Promise<Accepted<Session>>;
  endSession(caller: Caller, sessionId: string): Promise<void>;
  acceptTurn(
    caller: Caller,
    sessionId: string,
    input: CreateTurn,
    idempotency: Idempotency | null,
  ): Promise<Accepted<TurnAccepted>>;
  cancelTurn(caller: Caller, sessionId: string, turnId: string): Promise<void>;
  createTask(
    caller: Caller,
    input: NewTask,
    idempotency: Idempotency | null,
  ): Promise<Accepted<{ id: string }>>;
  stopTask(caller: Caller, taskId: string, mode: StopMode): Promise<void>;
  /** Pauses or resumes a task, or one subtask of it. `limits` raise what a budget pause waits for. */
  pauseTask(caller: Caller, taskId: string, subtaskId: string | null): Promise<void>;
  resumeTask(
    caller: Caller,
    taskId: string,
    options: { subtask_id: string | null; limits: BudgetLimits | null },
  ): Promise<void>;
  /** Passes guidance on; returns the receipt that events acknowledge. */
  steerTask(
    caller: Caller,
    taskId: string,
    input: { guidance: string; subtask_id: string | null },
  ): Promise<{ receipt_id: string }>;
  replanTask(caller: Caller, taskId: string, reason: string): Promise<void>;
  /** Ends one subtask without a result. */
  skipSubtask(caller: Caller, taskId: string, subtaskId: string, mode: StopMode): Promise<void>;
  /** Only what failed runs again; `subtask_id` narrows it to one. */
  retryTask(caller: Caller, taskId: string, options: RetryOptions): Promise<void>;
  /** Decides an approval once; a second decision is a conflict that names the first. */
  decideApproval(caller: Caller, approvalId: string, input: DecideApproval): Promise<Approval>;
  /** Replaces the limits of a session; tasks and turns that wait for them go on when resumed. */
  setSessionBudget(caller: Caller, sessionId: string, limits: BudgetLimits): Promise<void>;
  /** Brings a dead letter back as a new attempt, with its audit row; null for a unit this tenant does not have. */
  retryUnit(caller: Caller, unitId: string, via: string): Promise<{ unit_id: string } | null>;
}
