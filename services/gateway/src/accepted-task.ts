import type { Task, TaskListItem } from '@loom/shared/api';

/**
 * A task as it was when it was accepted, whenever it is asked for: a repeated request gets the same
 * answer as the first.
 */
export function asAccepted(task: TaskListItem & Pick<Task, 'context'>): Task {
  return {
    ...task,
    status: 'queued',
    verification: 'unverified',
    plan_version: 0,
    subtasks: [],
    plans: [],
    remediations: [],
    approvals: [],
    budget_used: {
      tokens: 0,
      cost_usd: 0,
      model_calls: 0,
      tool_calls: 0,
      mutating_tool_calls: 0,
      replans: 0,
      remediation_attempts: 0,
    },
    errors: [],
    summary: null,
    files_changed: [],
    started_at: null,
    ended_at: null,
  };
}
