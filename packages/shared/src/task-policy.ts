import type { ApprovalMode } from './approval.ts';
import type { Config } from './config.ts';
import type { Plan } from './plan.ts';

export const phaseModes = ['strict', 'guided', 'suggestive'] as const;
export type PhaseMode = (typeof phaseModes)[number];

export const criticalPathBehaviors = [
  'block',
  'confirm_or_prune_then_queue',
  'queue_follow_up',
] as const;
export type CriticalPathBehavior = (typeof criticalPathBehaviors)[number];

/** The rules a task is driven by, fixed when it is accepted: a changed configuration changes no running task. */
export interface TaskPolicy {
  max_plan_versions: number;
  /** Completions after which the plan is looked at again; 0 is never. */
  replan_interval: number;
  replan_on_discovery: boolean;
  planner_degraded_mode: 'allow' | 'require_approval' | 'deny';
  /** Null without a process: the planner is free, and its graph is taken as it is. */
  phase_mode: PhaseMode | null;
  phases: Plan['subtasks'];
  critical_path_behavior: CriticalPathBehavior;
  max_stall_recoveries: number;
  /** Times one attempt is verified at most. */
  max_verification_rounds: number;
  confirm_or_prune: { max_attempts: number; backoff_seconds: number };
  remediation: {
    max_attempts: number;
    backoff_seconds: number;
    max_backoff_seconds: number;
    ttl_seconds: number;
  };
  approval: {
    mode: ApprovalMode;
    threshold: number;
    timeout_seconds: number;
    /** How long a middling result waits for an objection before it stands. */
    objection_seconds: number;
    on_timeout: 'deny' | 'approve';
  };
  /** Whether a spent budget ends the task, or pauses it until someone raises it. */
  on_budget: 'fail' | 'pause';
}

/** What a request may set of its policy; the rest comes from the configuration. */
export interface PolicyWishes {
  approval_mode?: ApprovalMode;
  phase_mode?: PhaseMode;
  phases?: Plan['subtasks'];
  critical_path_behavior?: CriticalPathBehavior;
  in_session: boolean;
}

/** The policy of a task that is accepted now. */
export function taskPolicy(
  { execution, verification, approval }: Pick<Config, 'execution' | 'verification' | 'approval'>,
  wishes: PolicyWishes,
): TaskPolicy {
  return {
    max_plan_versions: execution.max_plan_versions,
    replan_interval: execution.replan_interval,
    replan_on_discovery: execution.replan_on_discovery,
    planner_degraded_mode: execution.planner_degraded_mode,
    phase_mode: wishes.phase_mode ?? null,
    phases: wishes.phases ?? [],
    critical_path_behavior: wishes.critical_path_behavior ?? execution.critical_path_behavior,
    max_stall_recoveries: execution.max_stall_recoveries,
    max_verification_rounds: verification.max_rounds,
    confirm_or_prune: {
      max_attempts: verification.confirm_or_prune_max_attempts,
      backoff_seconds: verification.confirm_or_prune_backoff_seconds,
    },
    remediation: {
      max_attempts: verification.remediation_queue_max_attempts,
      backoff_seconds: verification.remediation_queue_backoff_seconds,
      max_backoff_seconds: verification.remediation_queue_max_backoff_seconds,
      ttl_seconds: verification.remediation_queue_ttl_seconds,
    },
    approval: {
      mode: wishes.approval_mode ?? approval.mode,
      threshold: execution.auto_approve_confidence_threshold,
      timeout_seconds: approval.timeout_seconds,
      objection_seconds: approval.objection_seconds,
      on_timeout: approval.on_timeout,
    },
    on_budget: wishes.in_session ? 'pause' : 'fail',
  };
}
