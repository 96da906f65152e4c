import type { Task } from '@loom/shared/api';

/**
 * A task as it was when it was accepted, whenever it is asked for: a repeated request gets the same
 * answer as the first.
 */
export function asAccepted(task: Task): Task {
  return {
    ...task,
    status: 'queued',
    verification: 'unverified',
    plan_version: 0,
    subtasks: [],
    budget_used: { tokens: 0, model_calls: 0, tool_calls: 0 },
    errors: [],
    summary: null,
    files_changed: [],
    started_at: null,
    ended_at: null,
  };
}
