import type { Failure } from './api.ts';
import type { NewEvent } from './events.ts';
import type { Plan, PlanError, PlanSubtask } from './plan.ts';
import type { QueueName } from './queues.ts';
import type { SubtaskStatus, TaskStatus, Verification } from './statuses.ts';
import type { Verdict } from './verdict.ts';

/** What the engine knows of a subtask. */
export interface SubtaskState {
  id: string;
  spec: PlanSubtask;
  status: SubtaskStatus;
  verification: Verification;
  /** Attempts begun so far; the current one carries this number. */
  attempts: number;
  /** Attempts before a manual retry: they no longer count against `max_retries`. */
  attempts_forgiven: number;
  /** Times it was ready but another writer of the same deliverable was active. */
  deferrals: number;
  feedback: string | null;
  summary: string | null;
  error: Failure | null;
}

export type StopMode = 'cancel' | 'abort';

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
  subtasks: SubtaskState[];
}

/** What can happen to a task. Inputs that name an attempt are ignored once it is not the current one. */
export type TaskInput =
  | { kind: 'created'; plan: Plan | null }
  | { kind: 'planning_started' }
  | { kind: 'plan_made'; plan: Plan }
  | { kind: 'plan_invalid'; errors: PlanError[] }
  | { kind: 'plan_unavailable'; reason: string; degrade: boolean }
  | { kind: 'attempt_started'; subtask_id: string; attempt: number }
  | {
      kind: 'attempt_done';
      subtask_id: string;
      attempt: number;
      summary: string;
      files_changed: string[];
    }
  | { kind: 'attempt_failed'; subtask_id: string; attempt: number; failure: Failure }
  | { kind: 'attempt_cancelled'; subtask_id: string; attempt: number }
  | { kind: 'verification_started'; subtask_id: string; attempt: number }
  | { kind: 'verdict_given'; subtask_id: string; attempt: number; verdict: Verdict }
  | {
      kind: 'unit_died';
      queue: QueueName;
      subtask_id: string | null;
      attempt: number | null;
      reason: string;
    }
  | { kind: 'stop_requested'; mode: StopMode; by: string }
  | { kind: 'retry_requested'; by: string; subtask_id: string | null };

/** A unit of work that became runnable. */
export interface NewUnit {
  queue: 'plans' | 'subtasks' | 'verifications';
  subtask_id: string | null;
  attempt: number | null;
  /** Model tier for an attempt. */
  tier: number | null;
}

/** What the engine made of an input. Pure data: the database writes it, the queue rings it. */
export interface TaskDecision {
  state: TaskState;
  events: NewEvent[];
  units: NewUnit[];
  /** Which of the task's units are no longer wanted: those that wait, or also those at work. */
  withdraw: 'none' | 'waiting' | 'all';
  /** The plan to be kept as this version, when one was accepted. */
  plan: { version: number; subtasks: PlanSubtask[]; degraded: boolean } | null;
}

export type DecideTask = (state: TaskState, input: TaskInput) => TaskDecision;
