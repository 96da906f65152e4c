import type { CreateSession, CreateTurn, Session, TurnAccepted } from './api.ts';
import type { Plan } from './plan.ts';
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
  process: string | null;
  approval_mode: string;
  callback_url: string | null;
  budget: Record<string, unknown>;
  metadata: Record<string, unknown>;
  session_id: string | null;
  plan: Plan | null;
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
  /** Only what failed runs again; `subtaskId` narrows it to one. */
  retryTask(caller: Caller, taskId: string, subtaskId: string | null): Promise<void>;
  /** Brings a dead letter back as a new attempt; null for a unit this tenant does not have. */
  retryUnit(caller: Caller, unitId: string): Promise<{ unit_id: string } | null>;
}
