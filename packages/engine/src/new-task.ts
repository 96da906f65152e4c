import type { TaskState } from '@loom/shared/task-state';

/** A task before anything happened to it. */
export function newTask(params: { id: string; goal: string; max_parallel: number }): TaskState {
  return {
    ...params,
    status: 'queued',
    verification: 'unverified',
    plan_version: 0,
    plan_attempts: 0,
    cancel_mode: null,
    errors: [],
    summary: null,
    files_changed: [],
    subtasks: [],
  };
}
